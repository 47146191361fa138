import { afterAll, beforeAll, expect, it } from "vitest";
import { type Browser, type BrowserPage, carried } from "../../helpers/browser.ts";
import { sendDesk } from "../../tools/sandboxes/kit.ts";
import { memberIn, type Worked, workedIn } from "../kit.ts";

const PLACE = "/console/delivery/alerts";
const DAY = 86_400;

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const told = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const schedules = async () => (await worked.invoke("schedules_list")).body.schedules;

it("an alert is tried on stored traces before it is made, and nothing is kept of that", async () => {
  await sendDesk(worked.invoke, "shop", 24);
  const start = Date.parse("2026-05-04T08:00:00Z") / 1000;
  const call = (i: number, n: number) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${i}_${n}`, name: "get_order", input: { order_id: `SO-${i}` } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${i}_${n}`, content: "{}" }] },
  ];
  const trace = (i: number) => ({
    session: `asked-${i}`,
    created: start + (i < 40 ? 0 : DAY),
    messages: [
      { role: "user", content: "Where is my order?" },
      ...(i % 2 === 0 ? [0, 1, 2] : [0]).flatMap((n) => call(i, n)),
      { role: "assistant", content: [{ type: "text", text: "It is on its way." }] },
    ],
  });
  const content = Array.from({ length: 80 }, (_, i) => JSON.stringify(trace(i))).join("\n");
  const { status } = await worked.invoke("evidence_post", { surface: "shop", content });
  expect(status).toBeLessThan(300);
  const page = await browser.get(PLACE);
  const fields = { label: "Many calls", surface: "shop", threshold: "5", hours: "24", most_calls: "2" };
  const tried = await browser.post(
    `${PLACE}/try`,
    { ...carried(page, PLACE), ...fields },
    { referer: worked.app.url + PLACE },
  );
  expect(tried.status).toBe(200);
  const said = tried.root.querySelector("section[role=status]")?.structuredText ?? "";
  expect(said).toMatch(/It would have told on 2 of \d+ days with traces/);
  expect(said).toContain("20 of 40");
  expect(tried.root.querySelector("input[name=most_calls]")?.getAttribute("value")).toBe("2");
  expect(await schedules()).toEqual([]);
});

it("an alert is made on a number of calls, changed, ended, and watched again as it was", async () => {
  const page = await browser.get(PLACE);
  const fields = {
    label: "Many calls",
    surface: "shop",
    by: "change",
    threshold: "5",
    hours: "24",
    most_calls: "2",
    tool: "get_order",
  };
  const made = await browser.submit(page, PLACE, fields);
  const [row] = await schedules();
  expect(row.terms).toEqual({
    checks: [{ kind: "max_calls", n: 2 }],
    filter: { tool: "get_order" },
    change: 0.05,
    window_hours: 24,
  });
  const place = `${PLACE}/${row.id}`;
  expect(
    carried(made, place).most_calls ??
      made.root.querySelector(`form[action='${place}'] input[name=most_calls]`)?.getAttribute("value"),
  ).toBe("2");
  await browser.submit(made, place, { ...fields, threshold: "10", by: "threshold", most_calls: "4" });
  const [changed] = await schedules();
  expect([changed.id, changed.terms.threshold, changed.terms.checks]).toEqual([
    row.id,
    0.1,
    [{ kind: "max_calls", n: 4 }],
  ]);
  const ended = await browser.submit(await browser.get(PLACE), `${place}/end`);
  expect(await schedules()).toEqual([]);
  expect(told(ended)).toContain("“Many calls” has ended");
  const again = ended.root.querySelector(`form[action='${PLACE}']`);
  const value = (name: string) => again?.querySelector(`[name=${name}]`)?.getAttribute("value");
  expect([value("label"), value("threshold"), value("most_calls"), value("tool")]).toEqual([
    "Many calls",
    "10",
    "4",
    "get_order",
  ]);
  expect(told(ended)).toContain("Cost and time are watched by no alert");
});

it("what the form has no field for stays when an alert is changed", async () => {
  const terms = {
    detectors: ["loop"],
    checks: [
      { kind: "answer_includes", facts: [{ value: "Thanks", kind: "text" }] },
      { kind: "max_calls", n: 3 },
      { kind: "calls_forbidden", calls: [{ tool: "get_order", args: [{ path: "order_id", op: "present" }] }] },
    ],
    filter: { tool: "get_order", min_ms: 20 },
    threshold: 0.1,
    min_traces: 7,
  };
  const { status, body } = await worked.invoke("schedules_post", {
    kind: "alert",
    surface: "shop",
    label: "By hand",
    terms,
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  const page = await browser.get(PLACE);
  const fields = { label: "By hand", surface: "shop", threshold: "20", hours: "24", most_calls: "4" };
  await browser.post(
    `${PLACE}/${body.id}`,
    { ...carried(page, PLACE), ...fields },
    { referer: worked.app.url + PLACE },
  );
  const [row] = (await schedules()).filter(({ label }: { label: string }) => label === "By hand");
  expect(row.terms).toEqual({
    checks: [
      { kind: "max_calls", n: 4 },
      { kind: "answer_includes", facts: [{ value: "Thanks", kind: "text" }] },
      { kind: "calls_forbidden", calls: [{ tool: "get_order", args: [{ path: "order_id", op: "present" }] }] },
    ],
    filter: { min_ms: 20 },
    threshold: 0.2,
    window_hours: 24,
    min_traces: 7,
  });
});

it("what must hold of a trace is asked for field by field, tried but for what a model decides, and filled in again", async () => {
  const page = await browser.get(PLACE);
  const fields = {
    label: "Says what was asked",
    surface: "shop",
    threshold: "5",
    hours: "24",
    must_call: "get_order",
    must_not_call: "refund_order",
    answer: "answered",
    criterion: "It is polite.",
    version: "v7",
  };
  const tried = await browser.post(
    `${PLACE}/try`,
    { ...carried(page, PLACE), ...fields, version: "" },
    { referer: worked.app.url + PLACE },
  );
  const said = tried.root.querySelector("section[role=status]")?.structuredText ?? "";
  expect(said).toMatch(/It would have told on \d+ of \d+ days with traces/);
  expect(said).toContain("The criterion was left out: a model decides it, and none was asked.");
  // A rule alone is made here: no model is offered that could decide a criterion.
  const made = await browser.submit(page, PLACE, { ...fields, criterion: "" });
  const [row] = (await schedules()).filter(({ label }: { label: string }) => label === fields.label);
  expect(row.terms).toMatchObject({
    checks: [
      { kind: "calls_required", calls: [{ tool: "get_order" }] },
      { kind: "calls_forbidden", calls: [{ tool: "refund_order" }] },
      { kind: "answer_class", class: "answered" },
    ],
    filter: { agent_version: "v7" },
  });
  const own = made.root.querySelector(`form[action='${PLACE}/${row.id}']`);
  const value = (name: string) => own?.querySelector(`[name=${name}]`)?.getAttribute("value");
  expect([value("must_call"), value("must_not_call"), value("version")]).toEqual(["get_order", "refund_order", "v7"]);
  expect(own?.querySelector("select[name=answer] option[selected]")?.getAttribute("value")).toBe("answered");
  // A version that no trace is of finds nothing to try.
  const none = await browser.post(
    `${PLACE}/try`,
    { ...carried(page, PLACE), ...fields, criterion: "" },
    { referer: worked.app.url + PLACE },
  );
  expect(none.root.querySelector("section[role=status] table")).toBeNull();
  expect(told(none)).toContain("An alert cannot be paused");
});
