import { afterAll, beforeAll, expect, it } from "vitest";
import { type Worked, workedIn } from "../console/kit.ts";
import { Browser } from "../helpers/browser.ts";

let worked: Worked;
beforeAll(async () => {
  worked = await workedIn();
});
afterAll(() => worked.close());

async function shared(fields: object) {
  const { invoke, app, main, group } = worked;
  const { body } = await invoke("reports_post", { kind: "comparison", id: group, against: main, ...fields });
  const { link } = (await invoke("reports_share", { report_id: body.id, on: true })).body;
  return new Browser(app.url).get(new URL(link).pathname);
}

it("a task that flipped opens both of its trials inside a shared page, and nothing leads out of it", async () => {
  const page = await shared({ redact: false });
  expect(page.status).toBe(200);
  const hrefs = page.root.querySelectorAll("main a").map((each) => each.getAttribute("href") ?? "");
  const flips = hrefs.filter((href) => href.startsWith("#flip-"));
  expect(flips).toEqual(["#flip-1", "#flip-2", "#flip-3", "#flip-4"]);
  expect(hrefs.filter((href) => !href.startsWith("#"))).toEqual([]);
  for (const [i, href] of flips.entries()) {
    const place = page.root.querySelector(href);
    // A browser unfolds what holds the place.
    expect(place?.parentNode?.rawTagName, href).toBe("details");
    expect(place?.parentNode?.querySelector("summary")?.text).toContain(`Flipped task ${i + 1}: `);
    expect(place?.querySelectorAll("ol.sides > li").length).toBeGreaterThan(1);
    expect(place?.querySelectorAll(".first")).toHaveLength(1);
    expect(place?.querySelector("p.soft")?.text).toMatch(/ met\. .* failed: it /);
  }
  const captions = page.root.querySelectorAll("caption").map(({ text }) => text);
  expect(captions.join(" ")).toContain("a request leads to both trials, below");
  expect(captions.join(" ")).not.toMatch(/\bopens\b/);
});

it("what is masked in requests is masked in the trials too, and the preview names it", async () => {
  const whole = await shared({ redact: false });
  const masked = await shared({});
  const inside = (page: typeof whole) =>
    page.root
      .querySelectorAll("ol.sides")
      .map((each) => each.structuredText)
      .join("\n");
  const ids = [...new Set(inside(whole).match(/#W\d{7}|\b[a-z]+_[a-z]+_\d{4}\b/g) ?? [])];
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) expect(masked.text, id).not.toContain(id);
  expect(inside(masked).split("\n")).toHaveLength(inside(whole).split("\n").length);
});
