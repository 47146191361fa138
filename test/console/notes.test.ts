import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser } from "../helpers/browser.ts";
import { carried } from "../helpers/browser.ts";
import { deskTraces } from "../tools/sandboxes/kit.ts";
import { memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
let trial: string;
let trace: string;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
  const run = (await worked.invoke("runs_list", { group: worked.group })).body.runs[0].id;
  const { task, n } = (await worked.invoke("run_get", { rid: run })).body.trials[0];
  trial = `${run}/${task}/${n}`;
  const content = JSON.stringify(deskTraces(1)[0]);
  const { id } = (await worked.invoke("evidence_post", { content })).body;
  const [head] = (await worked.app.service.store.forOrg(worked.org.id).traces.heads(id, { limit: 1 })).items;
  trace = `${id}/${head?.id}`;
});
afterAll(() => worked.close());

const notes = async (id: string) => (await worked.invoke("failure_mode_proposals", { id })).body.feedback;

it("keeps a member's words about a trial, and says so on its page", async () => {
  const page = await browser.get(`/console/trials/${trial}`);
  const note = { ...carried(page, "/console/notes"), polarity: "negative", text: "It <b>never</b> looked." };
  const kept = await browser.post("/console/notes", note);
  // A browser goes to where the note stands, far below the steps.
  expect(kept.location).toMatch(/noted=yes#note$/);
  const after = await browser.follow(kept);
  expect(after.text).toContain("Your note is kept");
  expect(after.root.querySelector("#note blockquote")?.text).toMatch(/^It <b>never<\/b> looked\.\s+ann, /);
  expect(await notes(trial)).toMatchObject([
    { text: "It <b>never</b> looked.", author: "ann", polarity: "negative", about: { kind: "trial", id: trial } },
  ]);
});

it("makes a failure mode of a trace's note where the member says it is one, which leads back to the trace", async () => {
  const [eid, id = ""] = trace.split("/");
  const page = await browser.get(`/console/evidence/${eid}/traces/${id}`);
  const label = page.root.querySelectorAll("a").find((each) => each.text.startsWith("Label it"));
  expect((await browser.get((label?.getAttribute("href") ?? "").replaceAll("&amp;", "&"))).text).toContain(
    "Trace 1 of 1",
  );
  const made = await browser.submit(page, "/console/notes", {
    polarity: "negative",
    text: "It swaps what is out of stock",
    mode: "yes",
  });
  expect(made.root.querySelector("h1")?.text).toBe("It swaps what is out of stock");
  const links = made.root.querySelectorAll("main a").map((each) => each.getAttribute("href"));
  expect(links).toContain(`/console/evidence/${eid}/traces/${id}`);
});

it("refuses an empty note, one about nothing, and one of another session", async () => {
  const { token = "" } = carried(await browser.get(`/console/trials/${trial}`), "/console/notes");
  const send = (fields: Record<string, string>) => browser.post("/console/notes", { token, place: trial, ...fields });
  const note = { on: "trial", polarity: "negative", text: "x" };
  expect((await send({ ...note, text: " " })).status).toBe(400);
  expect((await send({ ...note, on: "member" })).status).toBe(400);
  expect((await send({ ...note, polarity: "loud" })).status).toBe(400);
  expect((await send({ ...note, token: "other" })).status).toBe(403);
});
