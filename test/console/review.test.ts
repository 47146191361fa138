import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IngestProposal, SeenOperation } from "../../chapters/records/evidence/after-ingest.ts";
import { DimensionValue } from "../../chapters/records/ontology/dimension.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import { invoker } from "../helpers/app.ts";
import { type Browser, type BrowserPage, carried } from "../helpers/browser.ts";
import { deskTraces } from "../tools/sandboxes/kit.ts";
import { memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let ann: Browser;
let admin: Browser;
let place: string;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser: ann } = await memberIn(worked, worked.invoke, "ann"));
  ({ browser: admin } = await memberIn(worked, worked.invoke, "ada", "admin"));
  place = `/console/sandboxes/${worked.environment}/tasks/0`;
});
afterAll(() => worked.close());

const said = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const statusOf = async (index: number) =>
  (await worked.invoke("environment_tasks", { env_id: worked.environment })).body.tasks.find(
    (task: { index: number }) => task.index === index,
  );

describe("the list of tasks", () => {
  it("is narrowed by words, status and sandbox, each a link to its task", async () => {
    const all = await ann.get(`/console/review?env=${worked.environment}`);
    const rows = (page: BrowserPage) => page.root.querySelectorAll("main tbody tr").length;
    expect([rows(all), said(all).includes("4 tasks")]).toEqual([4, true]);
    expect(all.html).toContain(place);
    expect(rows(await ann.get("/console/review?status=held"))).toBe(0);
    const { request } = await statusOf(0);
    const word = request.split(" ").sort((a: string, b: string) => b.length - a.length)[0];
    expect(rows(await ann.get(`/console/review?q=${encodeURIComponent(word)}`))).toBeGreaterThan(0);
    expect(rows(await ann.get("/console/review?q=%22%3E%3Cscript%3E"))).toBe(0);
    const column = async (query: string, at: number) =>
      (await ann.get(`/console/review${query}`)).root
        .querySelectorAll("main tbody tr")
        .map((row) => row.querySelectorAll("td")[at]?.text ?? "");
    const oldest = await column("", 1);
    expect(await column("?sort=newest", 1)).toEqual(oldest.toReversed());
    const families = await column("?sort=family", 3);
    expect(families).toEqual([...families].sort());
    const links = async (query: string) =>
      (await ann.get(`/console/review${query}`)).root
        .querySelectorAll("main tbody td a")
        .flatMap((each) => (each.getAttribute("href")?.includes("/tasks/") ? [each.getAttribute("href")] : []));
    const last = (await links("")).at(-1) ?? "";
    const held = await ann.submit(await ann.get(last), `${last}/hold`, { reason: "odd" });
    expect((await links("?sort=held"))[0]).toBe(last);
    await ann.submit(held, `${last}/undo`);
  });
});

describe("a task", () => {
  // Finding E35, with the tests beside it.
  it("shows its request, checks and proofs, and rehearses a check", async () => {
    const { records } = worked.app.service.store.forOrg(worked.org.id);
    const { items } = await records.list(TaskRecord, { where: { environment: worked.environment } });
    const proof = {
      name: "discriminating" as const,
      passed: true,
      reason: "9 of 9 wrong trials rejected",
      counts: {},
      survivors: [],
    };
    await records.update(TaskRecord, items.find(({ index }) => index === 0)?.id ?? "", (row) => ({
      ...row,
      verdicts: [proof],
    }));
    const page = await ann.get(place);
    const { request } = await statusOf(0);
    expect([page.status, said(page)]).toEqual([200, expect.stringContaining(request)]);
    expect(page.root.querySelector("h1")?.text).toContain(request.slice(0, 60));
    expect(page.root.querySelectorAll("[data-key=j]")).toHaveLength(1);
    expect(said(page)).toContain("It is certified: 9 of 9 wrong trials rejected.");
    await records.update(TaskRecord, items.find(({ index }) => index === 0)?.id ?? "", (row) => ({
      ...row,
      verdicts: [{ ...proof, reason: "All of them were rejected." }],
    }));
    expect(said(await ann.get(place))).toMatch(/It is certified: All of them were rejected\.(?!\.)/);
    const runs = page.root.querySelector(`main a[href^="/console/tasks/${worked.environment}/"]`);
    expect((await ann.get(runs?.getAttribute("href") ?? "")).status).toBe(200);
    const told = await ann.submit(page, `${place}/rehearse`, { n: "0" });
    expect(said(told)).toMatch(/Rehearsal of \w+/);
    expect(told.root.querySelectorAll("[role=status] tbody tr").length).toBeGreaterThan(1);
    expect((await ann.submit(page, `${place}/rehearse`, { n: "99" })).status).toBe(404);
  });

  it("folds what changes it until it is wanted, and unfolds what was refused", async () => {
    const formsIn = (page: BrowserPage, open: boolean) =>
      page.root
        .querySelectorAll("details.folded")
        .filter((each) => each.hasAttribute("open") === open)
        .flatMap((each) => each.querySelectorAll("form").map((form) => form.getAttribute("action")?.split("/").at(-1)));
    const page = await ann.get(place);
    expect(new Set(formsIn(page, false))).toEqual(new Set(["hold", "turns", "correct"]));
    const { token = "" } = carried(page, `${place}/hold`);
    const again = await ann.post(`${place}/hold`, { token, reason: " " }, { referer: `${worked.app.url}${place}` });
    expect([again.status, formsIn(again, true)]).toEqual([400, ["hold"]]);
  });

  it("says what works on its sandbox; what is refused meanwhile names the job and leads back to the form", async () => {
    const [{ service }, { org }] = [worked.app, worked];
    const jobs = service.store.forOrg(org.id).jobs;
    const id = service.id("job");
    await ann.submit(await ann.get(place), `${place}/hold`, { reason: "odd" });
    const none = { note: null, parent: null, state: null, result: null, total: null, message: null, stop_by: null };
    await jobs.start({
      ...{ ...none, id, org: org.id, kind: "rereview", key: `rereview:${worked.environment}`, status: "held" },
      ...{ by: "ann", input: { environment: worked.environment, indexes: [0], by: "ann" }, attempt: 0, done: 0 },
      ...{ created_at: service.now(), started_at: null, ended_at: null },
    });
    const headings = (of: BrowserPage) => of.root.querySelectorAll("main h2").map(({ text }) => text);
    const page = await ann.get(place);
    expect(said(page)).toContain("A review of its tasks on this sandbox is held");
    // Nothing can be undone or changed now, but what an admin may.
    for (const heading of ["Undo", "Change it"]) expect(headings(page), heading).not.toContain(heading);
    expect(headings(await admin.get(place))).toContain("Change it");
    expect(page.root.querySelector(`form[action='${place}/turns']`)).toBeNull();
    // It is said once, and where the page begins.
    expect(said(page).split("on this sandbox is held")).toHaveLength(2);
    const { token = "" } = carried(page, `${place}/rehearse`);
    const referer = `${worked.app.url}${place}`;
    const refused = await ann.post(`${place}/turns`, { token, turns: "And now?" }, { referer });
    expect([refused.status, refused.root.querySelector("#refused textarea")?.text.trim()]).toEqual([409, "And now?"]);
    expect(refused.root.querySelector("[role=alert] ~ p a")?.getAttribute("href")).toBe(`/console/jobs/${id}`);
    const elsewhere = await ann.post(
      `${place}/turns`,
      { token, turns: "And now?" },
      { referer: "https://a.example/console/x" },
    );
    expect(elsewhere.html).not.toContain("a.example");
    await jobs.update(id, { status: "stopped", ended_at: service.now() });
    const free = await ann.get(place);
    expect(said(free)).not.toContain("on this sandbox is held");
    expect(headings(free)).toEqual(expect.arrayContaining(["Undo", "Change it"]));
    await ann.submit(free, `${place}/undo`);
  });

  it("is what the address of an act on it leads to", async () => {
    expect((await ann.get(`${place}/rehearse`)).location).toBe(place);
    expect((await ann.get(`/console/groups/${worked.group}/stop`)).location).toBe(`/console/groups/${worked.group}`);
    expect((await ann.get("/console/tokens/none/revoke")).location).toBe("/console/tokens");
    expect((await ann.get("/console/notes")).location).toBe("/console");
    expect((await ann.get("/console/none/such")).status).toBe(404);
  });

  it("is held with a reason, and the hold is undone", async () => {
    const page = await ann.get(place);
    expect((await ann.submit(page, `${place}/hold`, { reason: "" })).status).toBe(400);
    const held = await ann.submit(page, `${place}/hold`, { reason: "the words are <b>odd</b>" });
    expect(said(held)).toContain("It is held: the words are <b>odd</b>");
    expect((await statusOf(0)).status).toBe("held");
    const undone = await ann.submit(held, `${place}/undo`);
    expect(said(undone)).toContain("It is certified");
    expect((await statusOf(0)).status).toBe("certified");
  });

  it("gets other turns, which stay as they were typed, and loses them again", async () => {
    const changed = await ann.submit(await ann.get(place), `${place}/turns`, {
      turns: "And <i>now</i>?\n\nThank you.",
    });
    expect((await statusOf(0)).turns).toEqual(["And <i>now</i>?", "Thank you."]);
    expect(changed.root.querySelector("textarea[name=turns]")?.textContent).toBe("And <i>now</i>?\n\nThank you.");
    expect(changed.html).not.toContain("<i>now</i>");
    await ann.submit(changed, `${place}/turns`, { turns: "" });
    expect((await statusOf(0)).turns).toEqual([]);
  });

  it("is corrected: a fact that the world does not bear out holds it, and the undo puts the fact back", async () => {
    const { tasks } = (await worked.invoke("environment_tasks", { env_id: worked.environment })).body;
    const facts = tasks.filter(({ checks }: { checks: { kind: string }[] }) =>
      checks.some(({ kind }) => kind === "answer_includes"),
    );
    const { index } = facts[0];
    const where = `/console/sandboxes/${worked.environment}/tasks/${index}`;
    const page = await ann.get(where);
    const { type } = carried(page, `${where}/correct`);
    const literal = type === "number" ? "987654321" : type === "boolean" ? "false" : "nothing like it";
    expect((await ann.submit(page, `${where}/correct`, { literal: "", aliases: "" })).status).toBe(400);
    const held = await ann.submit(page, `${where}/correct`, { literal });
    expect([held.status, said(held).includes(literal)]).toEqual([200, true]);
    expect((await statusOf(index)).status).toBe("held");
    await ann.submit(held, `${where}/undo`);
    expect((await statusOf(index)).status).toBe("certified");
  });

  it("is retired and restored by an admin; a member's form for it is refused", async () => {
    const page = await ann.get(place);
    expect(page.html).not.toContain(`${place}/retire`);
    const { token = "" } = carried(page, `${place}/hold`);
    expect((await ann.post(`${place}/retire`, { token })).status).toBe(403);
    const shown = await admin.get(place);
    expect(shown.root.querySelectorAll("button.removes").map(({ text }) => text)).toEqual(["Yes: Retire the task"]);
    const gone = await admin.submit(shown, `${place}/retire`, { reason: "twice" });
    expect(said(gone)).toContain("It is retired");
    expect(said(await ann.get(place))).toContain("An admin can restore it");
    const back = await admin.submit(gone, `${place}/restore`);
    expect(said(back)).toContain("It is certified");
  });

  it("of another org, or at no place, is a 404 and is changed by nobody", async () => {
    const other = await worked.app.org("other");
    const theirs = (await memberIn(worked, invoker(worked.app, "rest", other), "eve", "admin")).browser;
    const { token = "" } = carried(await theirs.get("/console/you"), "/console/you");
    for (const path of [place, place.replace(/0$/, "99"), place.replace(/0$/, "x")])
      expect([(await theirs.get(path)).status, (await theirs.get(`${path}`)).text.includes("No such")], path).toEqual([
        404,
        true,
      ]);
    expect((await ann.get(place.replace(/0$/, "x"))).status).toBe(404);
    for (const name of ["hold", "turns", "retire", "again", "rereview"])
      expect((await theirs.post(`${place}/${name}`, { token, reason: "x" })).status, name).toBe(404);
    expect((await ann.post(`${place}/hold`, { token: "x", reason: "x" })).status).toBe(403);
    expect((await statusOf(0)).status).toBe("certified");
  });
});

describe("proposals", () => {
  it("are confirmed into failure modes or dismissed, as the operations do it", async () => {
    const text = (n: number) => `It said it could not find order #W290690${n} although get_order shows it. <b>sess</b>`;
    const post = async (n: number) =>
      (await worked.invoke("failure_mode_proposals_post", { text: text(n), author: "bea" })).body.proposal.id as string;
    const [kept, dropped] = [await post(1), await post(2)];
    expect(said(await ann.get("/console"))).toContain("2 proposed failure modes");
    const page = await ann.get("/console/proposals");
    expect(said(page)).toContain("<b>sess</b>");
    // What is told is told once, and the sandbox that was read is named.
    const short = "It never looked at the order.";
    const { id: third } = (await worked.invoke("failure_mode_proposals_post", { text: short, author: "bea" })).body
      .proposal;
    const one = await ann.get("/console/proposals");
    expect(one.root.querySelector("main")?.structuredText.split(short)).toHaveLength(2);
    expect(one.root.querySelectorAll("input[name=title]").map((each) => each.getAttribute("value"))).toEqual([
      "",
      "",
      "",
    ]);
    await ann.submit(one, `/console/proposals/modes/${third}/dismiss`);
    const left = await ann.submit(page, `/console/proposals/modes/${dropped}/dismiss`);
    expect(left.html).not.toContain(`/modes/${dropped}/`);
    const place = `/console/proposals/modes/${kept}/confirm`;
    expect((await ann.submit(left, place, { bucket: "env_none" })).status).toBe(400);
    const done = await ann.submit(left, place, { title: "Says no data", behaviour: "", bucket: worked.environment });
    expect(said(done)).toContain("Nothing waits to be confirmed");
    expect((await worked.invoke("failure_modes")).body.failure_modes).toMatchObject([{ title: "Says no data" }]);
    const { token = "" } = carried(await ann.get("/console/you"), "/console/you");
    for (const act of [
      "modes/fmp_none/dismiss",
      "modes/fmp_none/confirm",
      "evidence/ap_none/accept",
      "evidence/ap_none/dismiss",
    ])
      expect((await ann.post(`/console/proposals/${act}`, { token })).status, act).toBe(404);
  });

  it("quote the step of the trace that they were read from, and lead to it", async () => {
    const lines = deskTraces(40).map((trace) => JSON.stringify(trace));
    const { id: evidence } = (await worked.invoke("evidence_post", { content: lines.join("\n") })).body;
    const store = worked.app.service.store.forOrg(worked.org.id);
    const [trace] = (await store.traces.heads(evidence)).items;
    const report = "It did not look at order SO-10122 before it answered, although get_order shows it.";
    const about = { kind: "trace", id: trace?.id };
    const { feedback } = (await worked.invoke("record_feedback", { text: report, polarity: "negative", about })).body;
    const { proposal } = (await worked.invoke("failure_mode_proposals_post", { report: feedback.id })).body;
    const lone = (await worked.invoke("failure_mode_proposals_post", { text: "It answered without looking." })).body;
    const page = await ann.get("/console/proposals");
    const of = (title: string) => page.root.querySelectorAll("section").find((each) => each.text.startsWith(title));
    const own = of(proposal.title);
    const [whole, step] = own?.querySelectorAll("a").map((a) => a.getAttribute("href") ?? "") ?? [];
    expect(whole).toBe(`/console/evidence/${evidence}/traces/${trace?.id}`);
    expect(step).toMatch(/\/traces\/tr_\w+#step-\d+$/);
    expect(own?.querySelector(".quoted")?.text).toMatch(
      /The agent said: \w[\s\S]*After Step \d+: get_order data\s*\{"order_id":"SO-10122"\}\s*What get_order answered/,
    );
    // The answer is a tree that opens, whole: what stands in it is JSON.
    const answered = JSON.parse(own?.querySelector(".quoted .json")?.text ?? "");
    expect(answered).toMatchObject({ order_id: "SO-10122", returns: [], refund_id: null });
    expect(page.root.querySelector(".verdict")?.text).toMatch(/^\d+ proposed failure modes/);
    const opened = await ann.get(whole ?? "");
    expect(opened.root.querySelector(`#${step?.split("#")[1]}`)?.text).toContain("get_order");
    expect(of(lone.proposal.title)?.text).toContain("names no trace and no trial");
    // A report whose words the answer does not bear out says so.
    const words = { text: "It said that it could not find order SO-10122.", polarity: "negative", about };
    const other = (await worked.invoke("record_feedback", words)).body.feedback.id;
    await worked.invoke("failure_mode_proposals_post", { report: other });
    const again = await ann.get("/console/proposals");
    expect(again.text).toContain(
      "“false no data” is of an answer that says that there is no data, and its last one refuses",
    );
  });

  it("of values stand in one list with what shows them, and are settled at once with the offers made of them", async () => {
    const { records } = worked.app.service.store.forOrg(worked.org.id);
    const [eid, surface] = ["ev_desk", "sf_desk"];
    const operation = { created_at: 1, by: "svc", surface, name: "refund_order", evidence: eid };
    await records.insert(SeenOperation, { id: worked.app.service.id("sop"), ...operation });
    const ids: string[] = [];
    for (const value of ["refund order", "who is angry", "later"]) {
      const made = { id: worked.app.service.id("dv"), created_at: 1, by: "svc", spellings: [], cites: [eid] };
      const state = { origin: "derived", status: "proposed", tier: "deterministic" } as const;
      const field = value === "who is angry" ? "persona" : "use_case";
      await records.insert(DimensionValue, { ...made, ...state, field, value, traces: 3 });
      ids.push(made.id);
      // Of the last no offer was made: it is settled all the same.
      if (value !== "later")
        await records.insert(IngestProposal, {
          id: worked.app.service.id("ap"),
          created_at: 1,
          by: "svc",
          kind: "value",
          target: made.id,
          state: "open",
          measure: { name: "traces", value: 3, threshold: 3, counts: {} },
          digest: value,
          reason: "A value that is not accepted yet is shown by 3 traces.",
          act: { operation: "dimension_value_accept", method: "POST", route: "/", body: {} },
          tier: "deterministic",
        });
    }
    const waits = (await ann.get("/console")).root.querySelectorAll("a[href='/console/proposals']");
    expect(waits.map(({ text }) => text).filter((text) => /value|offer/.test(text))).toEqual([
      "3 values read from evidence",
    ]);
    const page = await ann.get("/console/proposals");
    const form = page.root.querySelector("form[action='/console/proposals/values']");
    expect(form?.querySelectorAll("tbody tr")).toHaveLength(3);
    expect(form?.querySelectorAll("td a").map((each) => each.getAttribute("href")?.replace("&amp;", "&"))).toContain(
      `/console/traces?eid=${eid}&tool=refund_order`,
    );
    const [accepted, dismissed, left] = ids as [string, string, string];
    await ann.submit(page, "/console/proposals/values", {
      [accepted]: "accept",
      [dismissed]: "dismiss",
      [left]: "leave",
    });
    const stand = await records.getMany(DimensionValue, ids);
    expect(new Map(stand.map(({ value, status }) => [value, status]))).toEqual(
      new Map([
        ["refund order", "accepted"],
        ["who is angry", "dismissed"],
        ["later", "proposed"],
      ]),
    );
    expect(await records.count(IngestProposal, { state: "open" })).toBe(0);
    const again = await ann.get("/console/proposals");
    await ann.submit(again, "/console/proposals/values", { [left]: "accept" });
    expect((await ann.get("/console/proposals")).text).not.toContain("Values read from evidence");
  });
});
