import { expect, it } from "vitest";
import { NoteProposal } from "../../../../chapters/records/evidence/feedback-derive.ts";
import { bothSurfaces, invoker, startApp } from "../../../helpers/app.ts";
import { startProvider } from "../../../helpers/vendors/models.ts";
import { ok } from "../../sandboxes/kit.ts";

const NOTES = [
  "This task is ambiguous, I would not know either.",
  "It invented a delivery date.",
  "The answer should mention the fee. It was skipping that.",
  "Nobody would ask for that.",
  "We have two kinds of customers and this mixes them.",
  "Nice weather today.",
];

bothSurfaces(
  "notes are read once, by classes of words, into proposals that apply nothing",
  async (invoke, { app, org }) => {
    expect((await ok(invoke("feedback_derive", {}, org.push))).body).toMatchObject({ read: 0, proposed: 0, usd: 0 });
    expect((await invoke("feedback_derive", {}, org.read)).status).toBe(403);
    expect((await invoke("feedback_derive", { limit: 0 })).status).toBe(400);
    const ids: string[] = [];
    for (const text of NOTES) ids.push((await ok(invoke("record_feedback", { text }))).body.feedback.id);
    const { body } = await ok(invoke("feedback_derive", { limit: 3 }, org.push));
    expect(body).toMatchObject({ read: 3, proposed: 2, silent: 0, model: null, tier: "deterministic" });
    expect(body.by_kind.review_rule).toMatchObject([{ cites: [ids[0]], stage: "review" }]);
    expect(body.by_kind.analyzer_detector).toMatchObject([{ cites: [ids[1], ids[2]], stage: "findings" }]);
    expect(body.cannot).toContain("by words alone");
    expect(JSON.stringify(body.by_kind)).not.toContain("delivery date");
    expect((await ok(invoke("reports_ledger"))).body).toMatchObject({ read: 3, waiting: 3 });
    const rest = (await ok(invoke("feedback_derive"))).body;
    expect(rest).toMatchObject({ read: 3, proposed: 2, silent: 1 });
    expect(rest.by_kind.generator_gate[0].cites).toEqual([ids[3]]);
    expect(rest.by_kind.dimension[0].cites).toEqual([ids[4]]);
    expect((await ok(invoke("feedback_derive"))).body).toMatchObject({ read: 0, proposed: 0 });
    expect(await app.service.store.forOrg(org.id).records.count(NoteProposal)).toBe(4);
    const { dimensions } = (await ok(invoke("dimensions_get"))).body;
    expect(JSON.stringify(dimensions)).not.toContain("Notes about");
  },
);

it("a model may cite only the notes it was shown, and notes for staff are not among them", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const note = (await ok(invoke("record_feedback", { text: NOTES[1] }))).body.feedback.id;
    const said = (notes: string[]) => ({
      text: JSON.stringify({
        proposals: [
          { kind: "analyzer_detector", title: "Dates from nowhere", change: "Detect invented dates.", notes },
        ],
      }),
      tokens: [10, 5] as const,
    });
    provider.say(said(["fb_none"]), said(["fb_none"]));
    expect((await invoke("feedback_derive")).status).toBe(422);
    expect((await ok(invoke("reports_ledger"))).body.waiting).toBe(1);
    provider.say(said([note]));
    const { body } = await ok(invoke("feedback_derive"));
    expect(body).toMatchObject({ read: 1, proposed: 1, tier: "llm-derived", prompt_version: "feedback-derive-1" });
    expect(body.by_kind.analyzer_detector[0]).toMatchObject({ cites: [note], tier: "llm-derived" });
    expect(body.usd).toBeGreaterThan(0);
    expect(body.estimate_usd).toBeGreaterThan(body.usd);
    expect(body.cannot).toBeUndefined();
  } finally {
    await app.close();
    await provider.close();
  }
});
