import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { compareGroups } from "../../chapters/runs/compare/compare.ts";
import { comparisonMarkdown } from "../../chapters/runs/compare/compare-markdown.ts";
import { DEFAULT_BANDS } from "../../chapters/statistics/bands.ts";
import { comparisonJunit } from "../../src/commands/compare-junit.ts";
import { group, planned, trial } from "../chapters/runs/kit.ts";

const CHROMIUM = "/usr/bin/chromium";
/** What task families, labels and refusals could hold to break a document. */
const ODD = `a"<b>&'\u0000\u0001 ]]> <!-- &amp; &#0; \uD800 \uFFFE \u{1F600} %x; <?pi?>`;

it("JUnit is XML to a parser, with the cases, failures and skips that it says it has", async () => {
  const tasks = Array.from({ length: 8 }, (_, i) =>
    planned(`tk_${i}`, i, { family: i % 2 ? ODD : "lookup", request: ODD }),
  );
  const left = group(
    tasks,
    tasks.map(({ id }) => trial(id, 1, "met")),
  );
  const right = group(
    tasks.slice(0, 7),
    tasks.slice(0, 7).map(({ id }, i) => trial(id, 1, i < 6 ? "failed" : "met")),
    { id: "rg_2", version: ODD },
  );
  const found = compareGroups(left, right, DEFAULT_BANDS);
  const documents = ([0, 1, 2] as const).map((code) => comparisonJunit(found, { code, sentence: `Told: ${ODD}` }));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    const read = await page.evaluate(
      (texts) =>
        texts.map((text) => {
          const parsed = new DOMParser().parseFromString(text, "application/xml");
          const count = (what: string) => parsed.querySelectorAll(what).length;
          const suite = parsed.querySelector("testsuites > testsuite");
          const said = ["tests", "failures", "errors", "skipped"].map((name) => Number(suite?.getAttribute(name)));
          return {
            broken: parsed.querySelector("parsererror")?.textContent ?? null,
            said,
            counted: [count("testcase"), count("failure"), count("error"), count("skipped")],
            named: [...parsed.querySelectorAll("testcase")].every(
              (one) => one.getAttribute("name") && one.getAttribute("classname"),
            ),
          };
        }),
      documents,
    );
    for (const { broken, said, counted, named } of read) {
      expect(broken).toBeNull();
      expect(counted).toEqual(said);
      expect(named).toBe(true);
    }
    expect(read[1]?.counted).toEqual([9, 7, 0, 1]);
  } finally {
    await browser.close();
  }
  // Each row of a table has as many cells as its head, whatever the texts in it hold.
  const cells = (line: string) => line.replace(/\\\|/g, "").split("|").length;
  const lines = comparisonMarkdown(found).split("\n");
  let rows = 0;
  for (const [i, line] of lines.entries()) {
    if (!/^\|(?:---\|)+$/.test(line)) continue;
    for (let at = i + 1; lines[at]?.startsWith("|"); at++, rows++)
      expect(cells(lines[at] ?? "")).toBe(cells(lines[i - 1] ?? ""));
  }
  expect(rows).toBeGreaterThan(15);
});
