"""Reports as a real browser shows them: silent, readable in every form, and usable without eyes or mouse."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Locator

import picture
import reports
from looking import DARK, LIGHT, NARROW, NARROWEST, PRINTED, UNSCRIPTED, Form, Open, Opened

every_report = pytest.mark.parametrize("report", reports.REPORTS)
# One of each kind, the named datasets and the hardest names: what takes long is asked of these alone, for the others
# are made of the same parts.
OF_EACH_KIND = [
    "demo",
    "adult",
    "compas",
    "demo-frontier",
    "predictions-audit",
    "scores-audit",
    "compas-identify",
    "hostile",
]
one_of_each_kind = pytest.mark.parametrize("report", OF_EACH_KIND)
# Where nothing could be corrected, there is no more or less of it.
WITHOUT_SLIDER = [*(name for name in reports.REPORTS if name.endswith(("audit", "identify"))), "three-people"]
WITH_SLIDER = [name for name in reports.REPORTS if name not in WITHOUT_SLIDER]
NONE = "\u2013"


# Numbers as the page has them, computed anew.


def decimal(value: float, decimals: int) -> str:
    text = f"{abs(value):.{decimals}f}"
    return "\u2212" + text if value < 0 and text.strip("0.") else text


def percent(share: float | None) -> str:
    return NONE if share is None else decimal(share * 100, 1) + "\u00a0%"


def points(distance: float | None) -> str:
    return NONE if distance is None else decimal(distance * 100, 1)


def interval(rate: dict[str, Any], shown: Callable[[float | None], str]) -> str:
    return NONE if rate["low"] is None else f"{shown(rate['low'])} to {shown(rate['high'])}"


def texts(one: Opened, selector: str) -> list[str]:
    return [text.strip() for text in one.page.locator(selector).all_text_contents()]


def cells(within: Locator) -> list[list[str]]:
    """Give the rows of the tables within."""
    found: list[list[str]] = within.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return found


def table(one: Opened, caption: str) -> Locator:
    """Give the first table whose caption begins so."""
    return one.page.locator("table", has=one.page.locator("caption", has_text=caption)).first


def letters(text: str) -> str:
    """Give what is read, less what fonts and widths of lines decide: ligatures, spaces, and hyphens at their ends."""
    return re.sub(r"[\s\u00ad\ufffe-]", "", unicodedata.normalize("NFKC", text))


# What a page does by itself.


@every_report
def test_a_page_is_silent_and_asks_the_network_for_nothing(report: str, opened: Open) -> None:
    with opened(report, LIGHT) as one:
        one.unfold()
        if one.page.locator("#strength").count():
            one.page.locator("#strength").press("Home")
            one.page.locator("#tradeoff-plot").hover()
        one.check(one.noise, "a report says nothing but on its page")


def test_the_policy_of_a_page_lets_nothing_in(opened: Open) -> None:
    with opened("demo", LIGHT) as one:
        stopped = one.page.evaluate(
            """() => new Promise((resolve) => {
                const stopped = new Set();
                const answer = () => resolve([...stopped].sort());
                document.addEventListener("securitypolicyviolation", (event) => {
                    stopped.add(event.effectiveDirective);
                    if (stopped.size === 2) answer();
                });
                document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=alert(1)>");
                setTimeout(answer, 5000);
            })"""
        )
        assert stopped == ["img-src", "script-src-attr"]
        assert not any(line.startswith("dialog") for line in one.noise), one.noise


@pytest.mark.parametrize("report", ["hostile", "hostile-audit", "hostile-scores-audit", "hostile-identify"])
def test_hostile_names_are_shown_as_text(report: str, opened: Open) -> None:
    with opened(report, LIGHT) as one:
        one.unfold()
        shown = one.page.locator("main").inner_text()
        one.check([name for name in reports.HOSTILE if name not in shown], "names that are not shown as they are")
        if report != "hostile-identify":
            labels = reports.LABELS if report == "hostile" else reports.LABELS[1:]
            one.check([label for label in labels if label not in shown], "labels that are not shown as they are")
        strangers = one.page.locator("main :is(img, script, b:has-text('team'), i)")
        assert strangers.count() == 0, strangers.all_inner_texts()
        names = one.page.locator(".name bdi").all()
        one.check([name.inner_text() for name in names if not name.get_attribute("title")], "cut without a title")
        one.check(one.noise, "hostile names did something")


# What it shows.


@every_report
def test_numbers_are_those_of_the_json_in_the_page(report: str, opened: Open) -> None:
    with opened(report, LIGHT) as one:
        one.unfold()
        data = one.data()
        if change := data["change"]:
            violations = [points(change["violation_before"]), points(change["violation_after"])]
            errors = [percent(change["error_before"]), percent(change["error_after"])]
            assert texts(one, ".headline .was") == [violations[0], errors[0]]
            assert texts(one, ".headline b") == [violations[1], errors[1]]
        figures = one.page.locator("section[aria-labelledby=groups] figure").all()
        assert len(figures) == len(data["panels"]) + bool(data["constraints"])
        for panel, figure in zip(data["panels"], figures, strict=False):
            lines = [panel["overall"], *panel["groups"]]
            shown_series = [
                at for at, name in enumerate(panel["series"]) if name != "labels" or len(panel["series"]) == 1
            ]
            beside = [" → ".join(percent(line["rates"][at]["value"]) for at in shown_series) for line in lines]
            assert figure.locator(".dots").first.locator(".line:not(.head) .numbers").all_text_contents() == beside
            for row, line in zip(cells(figure), [*lines, *panel["intersections"]], strict=True):
                expected = [f"{line['rows']:,}" + (" (few)" if line["small"] else "")]
                for rate in line["rates"]:
                    expected += [percent(rate["value"]), interval(rate, points)]
                    if panel["rate"] in ("true_positive_rate", "false_positive_rate"):
                        expected += [f"{rate['count']:,}"]
                if "before" not in panel["series"]:
                    gap = line["gap"] or {"value": None, "low": None}
                    expected += [points(gap["value"]), interval(gap, points)]
                assert row[1:] == expected, f"{report}: {line['group']}"
        if data["constraints"]:
            gaps = {gap["name"]: gap for gap in data["constraints"]}
            for name, *numbers in cells(table(one, "Violation of every constraint")):
                gap = gaps.pop(name)
                assert numbers == [
                    text
                    for side in ("before", "after")
                    for text in (points(gap[side]["value"]), interval(gap[side], points))
                ]
            assert not gaps
        if scores := data.get("scores"):
            groups = [scores["overall"], *scores["groups"]]
            none = {"value": None, "low": None}

            def area(value: float | None) -> str:
                return NONE if value is None else decimal(value, 3)

            for row, group in zip(cells(table(one, "AUC of the scores")), groups, strict=True):
                assert row[2:] == [area((group["auc"] or none)["value"]), interval(group["auc"] or none, area)]
            for row, group in zip(cells(table(one, "Mean score minus share")), groups, strict=True):
                measured = [percent(group["mean_score"]), percent(group["positive_rate"]["value"])]
                gap = group["calibration"] or none
                assert row[2:] == [*measured, points(gap["value"]), interval(gap, points)]
            for row, group in zip(cells(table(one, "Expected calibration error")), groups, strict=True):
                assert row[2:] == [
                    points(group["calibration_error"]),
                    points(group["calibration_error_by_chance"]),
                ]
            plots = one.page.locator("section[aria-labelledby=scores] .plot")
            shown = groups[: plots.count()]
            assert len(shown) == min(len(groups), 8)
            for at, group in enumerate(shown):
                assert plots.nth(at).locator("circle").count() == len(group["bins"])
                assert plots.nth(at).locator(".interval").count() == len(group["bins"])
        if tradeoff := data["tradeoff"]:
            rows = cells(table(one, "Error and largest violation"))
            for row, point in zip(rows, [*tradeoff["points"], *tradeoff["baselines"]], strict=True):
                assert row[1:3] == [percent(point["error"]), points(point["violation"])], row
            drawn = one.page.locator("#tradeoff-plot .other").count()
            assert drawn == one.page.locator(".others li svg").count() <= len(tradeoff["baselines"])


@every_report
def test_every_chart_has_a_text_alternative(report: str, opened: Open) -> None:
    with opened(report, LIGHT) as one:
        one.check(one.probe("unexplained()"), "charts that not everyone can read")


@one_of_each_kind
def test_everything_is_there_without_a_script(report: str, opened: Open) -> None:
    with opened(report, LIGHT) as one:
        scripted = texts(one, ".numbers, td, .headline dd, #described")
    with opened(report, UNSCRIPTED) as one:
        assert texts(one, ".numbers, td, .headline dd, #described") == scripted
        assert one.page.locator("#strength").is_hidden() or not one.page.locator("#strength").count()


@pytest.mark.parametrize("report", WITH_SLIDER)
def test_the_slider_moves_the_groups(report: str, opened: Open) -> None:
    with opened(report, LIGHT) as one:
        data = one.data()["tradeoff"]
        slider, live = one.page.locator("#strength"), one.page.locator("#live")
        low, high = (float(live.get_attribute(f"data-{end}") or "nan") for end in ("low", "high"))
        spots = one.page.locator("#tradeoff-plot .curve circle")
        last = len(data["points"]) - 1
        assert slider.get_attribute("value") == str(last if data["chosen"] is None else data["chosen"])

        def position(value: float) -> str:
            return f"{1.5 + 97 * min(1, max(0, (value - low) / (high - low))):.2f}%"

        seen = []
        slider.press("Home")
        for index, at in enumerate(data["points"]):
            described = (
                f"{at['name']}: error {percent(at['error'])}, largest violation {points(at['violation'])} points"
            )
            where = f"{report}, point {index}"
            shown = one.probe("strength()")
            assert shown["value"] == str(index), where
            assert shown["valuetext"] == described, where
            assert shown["described"] == described, where
            assert shown["cursor"] == shown["spots"][index], where
            found = shown["marks"]
            seen.append(str(found))
            for line, (value, *ends) in zip(found, at["rates"], strict=True):
                assert line[0] == percent(value), where
                if value is not None:
                    assert [float(x.rstrip("%")) for x in line[1:]] == pytest.approx(
                        [float(position(x).rstrip("%")) for x in [value, *ends]], abs=0.0101
                    ), where
            slider.press("ArrowRight")
        assert len(set(seen)) > 1, f"{report}: no mark moved"
        spots.first.scroll_into_view_if_needed()
        first = spots.first.bounding_box()
        assert first
        one.page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
        assert slider.input_value() == "0", f"{report}: pointing at a point does not show it"
        one.page.mouse.move(0, 0)
        assert slider.input_value() == str(last), f"{report}: what the slider chose is lost"
        one.page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
        one.page.mouse.down()
        one.page.mouse.up()
        one.page.mouse.move(0, 0)
        assert slider.input_value() == "0", f"{report}: pressing a point does not choose it"


# Who can use it.


@one_of_each_kind
def test_a_keyboard_reaches_every_control(report: str, opened: Open) -> None:
    with opened(report, LIGHT) as one:
        keyboard = one.page.keyboard
        folded = one.page.locator("summary").count()
        # Once around with everything folded, opening what there is; then around again.
        for _ in range(folded + 1):
            keyboard.press("Tab")
            if one.page.evaluate("document.activeElement.localName") == "summary":
                keyboard.press("Enter")
        one.unfold()
        controls = one.probe("controls()")
        one.page.evaluate("document.activeElement.blur(); window.getSelection().collapse(document.body, 0)")
        reached = {}
        for _ in range(len(controls) + 2):
            keyboard.press("Tab")
            found = one.probe("focused()")
            if found["control"] is not None:
                reached[int(found["control"])] = found
        missing = [name for at, name in enumerate(controls) if at not in reached]
        one.check(missing, "not reached by the keyboard")
        one.check([found["name"] for found in reached.values() if not found["visible"]], "focus is not seen")


COLOURS = "color-contrast"


# Colours are the same on a narrow page, and all but colours is the same in the dark.
@pytest.mark.parametrize(
    ("report", "form", "rules"),
    [
        *((report, LIGHT, {}) for report in reports.REPORTS),
        *((report, DARK, {"runOnly": [COLOURS]}) for report in OF_EACH_KIND),
        *((report, NARROW, {"rules": {COLOURS: {"enabled": False}}}) for report in OF_EACH_KIND),
    ],
    ids=lambda one: getattr(one, "name", one) if not isinstance(one, dict) else "",
)
def test_the_accessibility_checker_finds_no_fault(report: str, form: Form, rules: dict[str, Any], opened: Open) -> None:
    with opened(report, form) as one:
        one.unfold()
        faint = one.probe("faint()")
        one.thin()
        found = Axe().run(one.page, options={"resultTypes": ["violations"], **rules}).response["violations"]
        faults = [
            f"{fault['impact']}, {fault['id']}: {fault['help']}: {node['html'][:160]}"
            for fault in found
            for node in fault["nodes"]
        ]
        one.check(faults, "faults of accessibility")
        one.check(faint, "too faint")


# How it looks.


@pytest.mark.parametrize("form", [LIGHT, NARROW, NARROWEST, PRINTED], ids=lambda form: form.name)
@every_report
def test_nothing_is_cut_or_lies_on_something_else(report: str, form: Form, opened: Open, pictures: Path | None) -> None:
    with opened(report, form) as one:
        one.unfold()
        if pictures:
            one.picture(pictures, "-unfolded")
        one.check(one.probe(f"wide({str(not form.printed).lower()})"), "too wide, or cut")
        # On the narrowest page a crowd of marks may leave no place for a label.
        on_marks = str(form != NARROWEST).lower()
        one.check(one.probe(f"overlaps({on_marks})"), "texts on each other")
        one.check(one.probe("crooked()"), "not where it belongs")


@every_report
def test_the_printed_page_has_everything(report: str, opened: Open, pictures: Path | None) -> None:
    with opened(report, LIGHT) as one:
        printed = one.page.pdf(prefer_css_page_size=True, format="A4")
        if pictures:
            (pictures / f"{report}.pdf").write_bytes(printed)
        assert one.page.locator("details[open]").count() == 0, f"{report}: unfolded for print, and left so"
        with pypdfium2.PdfDocument(printed) as document:
            words = letters("".join(page.get_textpage().get_text_range() for page in document))
        expected = texts(one, "main h2, .headline b, .headline .was, .numbers, summary")
        # A number alone would be found in many places.
        expected += ["".join(numbers) for _, *numbers in cells(one.page.locator("main"))]
        one.check([text for text in expected if letters(text) not in words], "not printed")
        assert "Strengthofthecorrection" not in words, f"{report}: a slider cannot be moved on paper"
        one.check(one.noise, "a report says nothing but on its page")


# The picture in the README and on the first page of the site.


def test_the_picture_of_a_report_says_what_the_report_says(browser: Browser, tmp_path: Path) -> None:
    page = picture.opened(browser, picture.report(tmp_path))
    assert picture.kept() == picture.said(page), "python crates/evenhand-report/browser/picture.py draws it anew"
    page.context.close()
