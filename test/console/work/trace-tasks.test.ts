import { afterAll, beforeAll, expect, it } from "vitest";
import type { CanonicalTrace } from "../../../chapters/records/evidence/evidence.ts";
import { fieldsOf, type TaskFields } from "../../../src/console/work/trace-tasks.ts";
import type { Bundle } from "../../../worlds/bundle.ts";
import { type Invoke, invoker, startApp, type TestApp } from "../../helpers/app.ts";
import { type Browser, type BrowserPage, carried } from "../../helpers/browser.ts";
import { buildDesk } from "../../tools/sandboxes/kit.ts";
import { memberIn } from "../kit.ts";

let app: TestApp;
let invoke: Invoke;
let ann: Browser;
let evidence: string;
let environment: string;
beforeAll(async () => {
  app = await startApp();
  invoke = invoker(app, "rest", await app.org());
  environment = (await buildDesk(invoke, "desk", 12)).environments[0].id;
  evidence = (await invoke("evidence_list", { surface: "desk", kind: "traces" })).body.evidence[0].id;
  ({ browser: ann } = await memberIn({ app }, invoke, "ann"));
});
afterAll(() => app.close());

const textOf = (page: BrowserPage, name: string) => page.root.querySelector(`main textarea[name=${name}]`)?.textContent;
const NAMES = ["request", "turns", "calls", "answer", "facts"];
const traces = async () =>
  (await ann.get(`/console/evidence/${evidence}`)).root
    .querySelectorAll("main td a")
    .map((each) => each.getAttribute("href") ?? "")
    .filter((href) => href.includes("/traces/"));
const wayTo = (page: BrowserPage) =>
  page.root
    .querySelectorAll("main .ways a")
    .map((each) => each.getAttribute("href")?.replaceAll("&amp;", "&") ?? "")
    .find((href) => href.includes(`/sandboxes/${environment}/new-task?trace=`));

it("a trace fills in a task of its sandbox, which is reviewed as any other", async () => {
  const path = `/console/sandboxes/${environment}/new-task`;
  const kept: string[] = [];
  for (const href of (await traces()).slice(0, 8)) {
    const way = wayTo(await ann.get(href)) ?? "";
    const page = await ann.get(way);
    expect([page.status, page.root.querySelector(`main a[href="${href}"]`)?.text]).toEqual([200, "a trace"]);
    const request = textOf(page, "request") ?? "";
    expect(request).not.toBe("");
    const fields = Object.fromEntries(NAMES.map((name) => [name, textOf(page, name) ?? ""]));
    const kind = page.root.querySelector("main select[name=kind] option[selected]")?.getAttribute("value") ?? "";
    const added = await ann.post(path, { ...carried(page, path), ...fields, kind }, { referer: app.url + path });
    // What review refuses comes back with what was filled in; what it keeps is a task of the sandbox.
    if (added.status === 303) kept.push(request);
    else expect([400, 422]).toContain(added.status);
  }
  const { tasks } = (await invoke("environment_tasks", { env_id: environment })).body;
  const requests = tasks.map((each: { request: string }) => each.request);
  for (const request of kept) expect(requests).toContain(request);
  expect(kept.length).toBeGreaterThan(0);
});

it("a trace of nobody or of another org fills in nothing", async () => {
  const path = `/console/sandboxes/${environment}/new-task`;
  expect((await ann.get(`${path}?trace=ev_none/tr_none`)).status).toBe(404);
  expect((await ann.get(`${path}?trace=`)).status).toBe(200);
  const eve = (await memberIn({ app }, invoker(app, "rest", await app.org("other")), "eve")).browser;
  const [href = ""] = await traces();
  expect((await eve.get(href)).status).toBe(404);
});

const call = (tool: string, args: Record<string, unknown>, result: unknown, is_error = false) => ({
  ...{ tool, args, result, is_error },
  answer_class: is_error ? "error:other" : "data",
});
const session = (of: Partial<CanonicalTrace>): CanonicalTrace => ({
  ...{ v: 1, session: "s", turns: [], calls: [], labels: {}, final_answer: null, final_answer_class: "none" },
  request: "How many seats has hall 7?",
  ...of,
});
const world = {
  tools: [{ name: "hall" }, { name: "book" }],
  behaviours: { hall: { effect: "read" }, book: { effect: "write" } },
} as unknown as Bundle;

it.each<[string, Partial<CanonicalTrace>, Partial<TaskFields>]>([
  [
    "an answer is held to the values that it says of what calls found",
    {
      calls: [call("hall", { id: 7 }, '{"id":7,"seats":120,"name":"Blue Hall","open":true}')],
      final_answer: "The Blue Hall has 120 seats.",
      final_answer_class: "answered",
    },
    { kind: "answer", calls: 'hall {"id":7}', answer: "The Blue Hall has 120 seats.", facts: "120\nBlue Hall" },
  ],
  [
    "a change is its calls alone, without those that failed, of the user's own tools and of tools that no world has",
    {
      calls: [
        call("hall", { id: 8 }, "no such hall", true),
        call("book", { id: 7 }, "ok"),
        { ...call("hall", { id: 9 }, {}), requestor: "user" as const },
        call("elsewhere", {}, "ok"),
      ],
      final_answer: "Booked.",
      final_answer_class: "answered",
    },
    { kind: "change", calls: 'book {"id":7}', answer: "", facts: "" },
  ],
  ["a refusal is one", { final_answer: "I can't.", final_answer_class: "refused" }, { kind: "refuse", answer: "" }],
  ["no data is none", { final_answer: "None.", final_answer_class: "said_no_data" }, { kind: "no_data" }],
  [
    "what the user says next is a paragraph a turn",
    { turns: ["How many?", "In hall 7.\n\nPlease.", " ", "Thanks"].map((text) => ({ role: "user", text })) },
    { kind: "answer", turns: "In hall 7.\nPlease.\n\nThanks", answer: "", facts: "" },
  ],
])("%s", (_, of, expected) => {
  expect(fieldsOf(session(of), world)).toMatchObject(expected);
});
