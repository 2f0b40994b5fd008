// Questions to a page that is open. Each answers with the faults it found, as lines that name the element.
({
  // An element in a few words.
  named(element) {
    const classes = [...element.classList].map((one) => "." + one).join("");
    const text = (element.getAttribute("aria-label") ?? element.textContent).trim().replace(/\s+/g, " ").slice(0, 60);
    return `<${element.localName}${element.id && "#" + element.id}${classes}> “${text}”`;
  },

  seen(selector, within = document) {
    return [...within.querySelectorAll(selector)].filter((one) => {
      const box = one.getBoundingClientRect();
      return one.checkVisibility() && box.width > 0 && box.height > 0;
    });
  },

  // What sticks out of the page on either side, or is cut and has no other way to be read.
  wide(mayScroll) {
    const faults = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide, of ${root.clientWidth}`);
    for (const one of this.seen("body *:not(.unseen)")) {
      const box = one.getBoundingClientRect();
      const scrolls = mayScroll && one.parentElement.closest(".scroll, pre");
      if (!scrolls && (box.left < -0.5 || box.right > root.clientWidth + 0.5)) {
        faults.push(`${this.named(one)} lies from ${box.left.toFixed(1)} to ${box.right.toFixed(1)}`);
      }
      const cut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
      const style = getComputedStyle(one);
      const hides = style.overflowX === "hidden" || style.overflowX === "clip" || (!mayScroll && style.overflowX === "auto");
      if (cut && hides && !one.title) faults.push(`${this.named(one)} is cut`);
    }
    return faults;
  },

  // Texts that lie on each other, within a drawing or a line of a chart; and labels that lie on marks, if that is asked.
  overlaps(onMarks) {
    const faults = [];
    const apart = (one, other) => {
      const [a, b] = [one, other].map((element) => element.getBoundingClientRect());
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 0.5 && down > 1.5) faults.push(`${this.named(one)} and ${this.named(other)} overlap`);
    };
    const pairs = (elements) => elements.forEach((one, at) => elements.slice(at + 1).forEach((other) => apart(one, other)));
    for (const svg of this.seen("svg")) {
      pairs(this.seen("text", svg));
      for (const label of onMarks ? this.seen("text.label", svg) : []) this.seen("circle:not(#cursor), path", svg).forEach((dot) => apart(label, dot));
    }
    for (const line of this.seen(".line")) pairs(this.seen(":scope > .name, :scope > .numbers", line));
    for (const line of this.seen(".line:not(.head)")) pairs(this.seen(":scope > *", line));
    return faults;
  },

  // Plots whose numbers are not beside their lines, or that have hardly any room.
  crooked() {
    const faults = [];
    for (const plot of this.seen(".plot")) {
      const [ups, area] = [".ups", ".area"].map((part) => plot.querySelector(part).getBoundingClientRect());
      const level = Math.abs(ups.top - area.top) < 1 && Math.abs(ups.right - area.left) < 1;
      if (!level) faults.push(`${this.named(plot)} has its numbers at ${ups.left}, ${ups.top}, its lines at ${area.left}, ${area.top}`);
      if (area.width < 110) faults.push(`${this.named(plot)} is only ${area.width.toFixed(0)} wide`);
    }
    for (const line of this.seen(".line")) {
      const marks = line.querySelector(".marks").getBoundingClientRect();
      if (marks.width < 180) faults.push(`${this.named(line)} has only ${marks.width.toFixed(0)} for its marks`);
    }
    return faults;
  },

  // Text and marks of drawings that are too faint: the checker does not look at these.
  faint() {
    const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = (colour) => {
      const [r, g, b] = channels(colour).map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = light(getComputedStyle(document.body).backgroundColor);
    const contrast = (colour) => {
      const own = light(colour);
      return (Math.max(own, paper) + 0.05) / (Math.min(own, paper) + 0.05);
    };
    const faults = [];
    const ask = (selector, least) => {
      for (const one of this.seen(selector)) {
        const style = getComputedStyle(one);
        const best = Math.max(...[style.fill, style.stroke].filter((colour) => colour.startsWith("rgb(")).map(contrast));
        if (!(best >= least)) faults.push(`${this.named(one)} has a contrast of ${best.toFixed(2)}, not ${least}`);
      }
    };
    ask("svg text", 4.5);
    ask("svg circle, svg path, svg line.interval, svg line.label, svg line.reference, .curve line", 3);
    return [...new Set(faults)];
  },

  // Charts without words for those who do not see them, or without a table of their numbers.
  unexplained() {
    const faults = [];
    for (const svg of document.querySelectorAll("svg:not(svg svg)")) {
      if (svg.getAttribute("aria-hidden") !== "true") faults.push(`${this.named(svg)} is neither named nor hidden`);
    }
    const charts = [...document.querySelectorAll(".dots, .plot, [role=img]")];
    for (const chart of charts) {
      if (!chart.getAttribute("aria-label")?.trim()) faults.push(`${this.named(chart)} has no text alternative`);
      // What a script moves must be read as it stands, so it may not be a picture.
      if (!chart.matches(chart.id === "live" ? "[role=group]" : "[role=img]")) faults.push(`${this.named(chart)} has the wrong role`);
      const holder = chart.closest("figure:has(table)") ?? chart.closest("section");
      const rows = Math.max(0, ...[...holder.querySelectorAll("table")].map((table) => table.tBodies[0].rows.length));
      const drawn = chart.id === "live" ? 1 : Math.max(1, chart.querySelectorAll(".line:not(.head)").length);
      if (rows < drawn) faults.push(`${this.named(chart)} draws ${drawn} and has ${rows} rows in a table`);
    }
    return charts.length > 0 ? faults : ["no chart at all"];
  },

  // What the slider shows: its own value and words, the sentence beside it, the positions of points and of the cursor if it is
  // seen, and the number and the marks of every group.
  strength() {
    const [slider, live, plot] = ["strength", "live", "tradeoff-plot"].map((id) => document.getElementById(id));
    const position = (circle) => ["cx", "cy"].map((name) => circle.getAttribute(name));
    const cursor = document.getElementById("cursor");
    return {
      value: slider.value,
      valuetext: slider.getAttribute("aria-valuetext"),
      described: document.getElementById("described").innerText,
      spots: [...plot.querySelectorAll(".curve circle")].map(position),
      cursor: cursor.checkVisibility({ visibilityProperty: true }) ? position(cursor) : null,
      marks: [...live.querySelectorAll(".line:not(.head)")].map((line) => [
        line.querySelector(".numbers").textContent,
        line.querySelector("circle")?.getAttribute("cx"),
        ...["x1", "x2"].map((end) => line.querySelector(".interval")?.getAttribute(end)),
      ]),
    };
  },

  // Marks everything that a keyboard must reach; says how many there are.
  controls() {
    const all = this.seen("summary, input, button, a[href], select, [tabindex]");
    all.forEach((one, at) => { one.dataset.control = at; });
    return all.map((one) => this.named(one));
  },

  // Which of them has the focus, and whether that can be seen.
  focused() {
    const one = document.activeElement;
    const style = getComputedStyle(one);
    const visible = one.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    return { control: one.dataset.control ?? null, name: this.named(one), visible };
  },
})
