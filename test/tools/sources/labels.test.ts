import { expect } from "vitest";
import { FailureMode } from "../../../chapters/records/findings/findings.ts";
import { SourceLabel } from "../../../chapters/records/sources/sources.ts";
import { bothSurfaces, type Invoke } from "../../helpers/app.ts";

const send = (invoke: Invoke, source: string, id: string) =>
  invoke("evidence_post", {
    source,
    content: [
      {
        id,
        messages: [
          { role: "user", content: "hello" },
          { role: "assistant", content: "hi" },
        ],
      },
    ],
  });

bothSurfaces(
  "labels of a source's traces are stored once, of the stored trace where there is one",
  async (invoke, { app, org }) => {
    const store = app.service.store.forOrg(org.id);
    const { id: sid } = (await invoke("sources_post", { kind: "upload", external_id: "files" })).body;
    const trace = (await send(invoke, sid, "s-1")).body.ids[0];
    const session = (await store.traces.get(trace))?.trace.session ?? "";
    const items = [
      { trace: session, polarity: "good", note: "well done" },
      { trace, name: "helpfulness", score: 0.2, annotator: "model" },
      { session: "nobody", polarity: "bad", value: "wrong" },
      { polarity: "good" },
    ];
    const answer = await invoke("sources_labels", { sid, items, name: "review", as_failure_modes: true }, org.push);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        source: sid,
        format: "plain",
        received: 4,
        stored: 3,
        matched: 2,
        failure_modes: 2,
        polarity: { good: 1, bad: 2, unclear: 0 },
        refused: [{ line: 4 }],
      },
    });
    const stored = (await store.records.list(SourceLabel)).items;
    expect(stored).toHaveLength(3);
    expect(stored.find(({ name }) => name === "helpfulness")).toMatchObject({
      trace,
      polarity: "bad",
      tier: "llm-derived",
      failure_mode: true,
    });
    expect(stored.find(({ note }) => note === "well done")).toMatchObject({
      name: "review",
      trace,
      tier: "human",
      failure_mode: false,
    });
    await invoke("sources_labels", { sid, items: [{ trace: session, polarity: "bad" }], name: "review" });
    const after = (await store.records.list(SourceLabel)).items;
    expect(after).toHaveLength(3);
    expect(after.find(({ name, trace: of }) => name === "review" && of === trace)).toMatchObject({ polarity: "bad" });

    // A person's word is the verdict on the trace; a model's and an unclear one are none.
    const verdicts = async () =>
      (await invoke("labels_get")).body.labels.map(({ trace: of, kind }: Record<string, string>) => [of, kind]);
    expect(await verdicts()).toEqual([[trace, "negative"]]);
    await invoke("sources_labels", { sid, items: [{ trace: session, polarity: "good" }], name: "review" });
    expect(await verdicts()).toEqual([[trace, "positive"]]);
    const others = [
      { trace, name: "helpfulness", score: 0, annotator: "model" },
      { trace, name: "mood", polarity: "unclear" },
    ];
    await invoke("sources_labels", { sid, items: others });
    expect(await verdicts()).toEqual([[trace, "positive"]]);
    const split = [
      { trace, name: "a", polarity: "bad" },
      { trace, name: "b", polarity: "good" },
    ];
    await invoke("sources_labels", { sid, items: split });
    expect(await verdicts(), "what one calls bad is not right").toEqual([[trace, "negative"]]);

    expect((await invoke("sources_labels", { sid, items: [{ x: 1 }] })).body.fields[0].path).toBe("items");
    expect((await invoke("sources_labels", { sid, items: [] })).status).toBe(400);
    expect((await invoke("sources_labels", { sid: "src_unknown", items })).status).toBe(404);
    expect((await invoke("sources_labels", { sid, items }, org.read)).status).toBe(403);
  },
);

bothSurfaces(
  "scores and evaluations are taken as their tools have them; notes under the source's data access",
  async (invoke, { app, org }) => {
    const store = app.service.store.forOrg(org.id);
    const { id: sid } = (await invoke("sources_post", { kind: "otlp", external_id: "collector" })).body;
    const trace = "0123456789abcdef0123456789abcdef";
    const scores = [
      {
        id: "1",
        traceId: trace,
        name: "helpful",
        value: 1,
        dataType: "BOOLEAN",
        source: "ANNOTATION",
        comment: "Zebulon Quackenbush was happy",
        timestamp: "2026-11-01",
      },
      { traceId: trace, name: "topic", stringValue: "billing", value: null, dataType: "CATEGORICAL", source: "EVAL" },
    ];
    expect((await invoke("sources_labels", { sid, items: scores, format: "trace_store" })).body).toMatchObject({
      stored: 2,
      refused: [],
    });
    const evaluations = [
      {
        join_on: { span: { span_id: "1", trace_id: trace } },
        label: "faithful",
        metric_type: "score",
        score_value: 3,
        assessment: "fail",
        reasoning: "made it up",
        ml_app: "x",
      },
    ];
    expect((await invoke("sources_labels", { sid, items: evaluations, format: "obs" })).body).toMatchObject({
      stored: 1,
      polarity: { bad: 1 },
    });
    const stored = (await store.records.list(SourceLabel)).items;
    expect(Object.fromEntries(stored.map(({ name, polarity, tier }) => [name, [polarity, tier]]))).toEqual({
      helpful: ["good", "human"],
      topic: ["unclear", "llm-derived"],
      faithful: ["bad", "llm-derived"],
    });
    expect(JSON.stringify(stored)).not.toMatch(/Zebulon|Quackenbush/);
    expect(
      stored.every(({ session }) => session === trace),
      "a trace's own id stays",
    ).toBe(true);
  },
);

bothSurfaces("labels find a trace by the id that its source gave it, whatever is kept of it", async (invoke) => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const generation = {
    id: "g1",
    traceId,
    type: "GENERATION",
    name: "chat",
    model: "m",
    startTime: "2026-11-01T10:00:00Z",
    endTime: "2026-11-01T10:00:01Z",
    input: JSON.stringify([{ role: "user", content: "hello" }]),
    output: JSON.stringify({ role: "assistant", content: "hi" }),
  };
  const content = [{ id: traceId, sessionId: "another-name", observations: [generation], scores: [] }];
  for (const data_access of ["full", "anonymized", "shapes"]) {
    const made = await invoke("sources_post", { kind: "upload", external_id: data_access, data_access });
    const sid = made.body.id;
    const sent = await invoke("evidence_post", { source: sid, content, format: "trace_store" });
    expect(sent.body, data_access).toMatchObject({ admitted: 1, data_access });
    const items = [{ traceId, name: "helpful", value: 1 }];
    const answer = await invoke("sources_labels", { sid, items, format: "trace_store" });
    expect(answer.body, data_access).toMatchObject({ stored: 1, matched: 1 });
  }
});

// Finding A5.
bothSurfaces(
  "a score counts the way its name or the sender says, and a mode has the words that were noted",
  async (invoke, { app, org }) => {
    const store = app.service.store.forOrg(org.id);
    const { id: sid } = (
      await invoke("sources_post", { kind: "upload", external_id: "files", data_access: "anonymized" })
    ).body;
    const trace = (await send(invoke, sid, "s-1")).body.ids[0];
    const items = [
      { trace, name: "toxicity", score: 0.8, note: "It swore at the user." },
      { trace, name: "hallucination", score: 0 },
      { trace, name: "helpfulness", score: 0.9 },
      { trace, name: "tone", score: 0.9 },
      { session: "nobody", polarity: "bad", note: "It gave up." },
    ];
    const { body } = await invoke("sources_labels", { sid, items, name: "sheet", as_failure_modes: true });
    expect(body).toMatchObject({ matched: 4, polarity: { good: 2, bad: 2, unclear: 1 }, failure_modes: 2 });
    const polarity = async () =>
      Object.fromEntries((await store.records.list(SourceLabel)).items.map(({ name, polarity }) => [name, polarity]));
    expect(await polarity()).toEqual({
      ...{ toxicity: "bad", hallucination: "good", helpfulness: "good", tone: "unclear" },
      sheet: "bad",
    });
    await invoke("sources_labels", { sid, items: [{ trace, name: "tone", score: 0.9 }], higher_is: "worse" });
    expect((await polarity()).tone).toBe("bad");
    const modes = (await store.records.list(FailureMode)).items;
    expect(modes.toSorted((a, b) => (a.title < b.title ? -1 : 1))).toMatchObject([
      { title: "sheet", description: "It gave up." },
      { title: "toxicity", description: "It swore at the user.", reported: [trace] },
    ]);
  },
);
