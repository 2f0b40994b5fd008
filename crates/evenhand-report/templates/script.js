// Moves the groups with the slider, and opens what is folded before printing. Reads the report from the page itself.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  const report = JSON.parse(document.getElementById("report").textContent);

  // The same words as the page has without a script: a half goes to the even digit, where toFixed would go up.
  const decimal = (value, decimals) => {
    const exact = Math.abs(value).toFixed(40);
    const [below, rest] = [exact.slice(0, decimals - 40), exact.slice(decimals - 40)];
    const text = /^50*$/.test(rest) && /[02468]$/.test(below) ? below : Math.abs(value).toFixed(decimals);
    return value < 0 && /[1-9]/.test(text) ? "−" + text : text;
  };
  const percent = (share) => decimal(share * 100, 1) + "\u00a0%";
  const orNone = (value, shown) => (value === null ? "–" : shown(value));
  const describe = (point) =>
    `${point.name}: error ${percent(point.error)}, largest violation ` +
    `${orNone(point.violation, (value) => decimal(value * 100, 1))} points`;

  const slider = document.getElementById("strength");
  const live = document.getElementById("live");
  const plot = document.getElementById("tradeoff-plot");
  if (report.tradeoff && slider && live && plot) {
    const points = report.tradeoff.points;
    const start = report.tradeoff.chosen ?? points.length - 1;
    const spots = [...plot.querySelectorAll(".curve circle")];
    const cursor = document.getElementById("cursor");
    const lines = [...live.querySelectorAll(".line:not(.head)")];
    const low = Number(live.dataset.low);
    const high = Number(live.dataset.high);
    const at = (value) => `${(1.5 + 97 * Math.min(1, Math.max(0, (value - low) / (high - low)))).toFixed(2)}%`;

    const show = (index) => {
      const point = points[index];
      slider.value = String(index);
      slider.setAttribute("aria-valuetext", describe(point));
      document.getElementById("described").textContent = describe(point);
      cursor.setAttribute("cx", spots[index].getAttribute("cx"));
      cursor.setAttribute("cy", spots[index].getAttribute("cy"));
      cursor.setAttribute("visibility", "visible");
      lines.forEach((line, row) => {
        const [value, from, to] = point.rates[row] ?? [null, null, null];
        const dot = line.querySelector("circle.dot");
        const interval = line.querySelector("line.interval");
        if (dot && value !== null) dot.setAttribute("cx", at(value));
        if (interval && from !== null && to !== null) {
          interval.setAttribute("x1", at(from));
          interval.setAttribute("x2", at(to));
        }
        line.querySelector(".numbers").textContent = orNone(value, percent);
      });
    };

    // Pointing shows a point for as long as it lasts; the slider, or a press, keeps it.
    let held = start;
    const hold = (index) => { held = index; show(index); };
    slider.addEventListener("input", () => hold(Number(slider.value)));
    const nearest = (event) => {
      const distance = (spot) => {
        const box = spot.getBoundingClientRect();
        return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      };
      let best = 0;
      spots.forEach((spot, index) => {
        if (distance(spot) < distance(spots[best])) best = index;
      });
      return best;
    };
    plot.addEventListener("pointermove", (event) => show(nearest(event)));
    plot.addEventListener("pointerdown", (event) => hold(nearest(event)));
    plot.addEventListener("pointerleave", () => show(held));
    show(start);
  }

  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((one) => { one.open = true; });
  });
  window.addEventListener("afterprint", () => folded.forEach((one) => { one.open = false; }));
})();
