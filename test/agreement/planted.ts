import { createDesk } from "../../worlds/samples/desk/desk.ts";
import type { DeskCall } from "../../worlds/samples/desk/scenarios/scenario.ts";
import { type RecordedSession, recordedSessions } from "../worlds/samples/desk/help.ts";

const WRITES = new Set([
  "place_order",
  "cancel_order",
  "return_item",
  "exchange_item",
  "apply_credit",
  "change_address",
]);

/**
 * A trial of a recorded task as it was planted: what was done otherwise, and the reward that a check of the desk's
 * own records gives it.
 */
export interface Planted {
  readonly name: string;
  readonly task: string;
  readonly reward: 0 | 1;
  readonly line: string;
}

const written = (session: RecordedSession) => session.calls.filter((call) => WRITES.has(call.tool) && !call.isError);

/** A session as a trace file holds it, its calls answered by a live desk that has issued `issued` ids before. */
function trial(
  session: RecordedSession,
  name: string,
  reward: 0 | 1,
  calls: readonly DeskCall[],
  issued: number,
): Planted {
  const desk = createDesk({ issued });
  const messages: unknown[] = [{ role: "user", content: session.request }];
  const ids = new Map<string, string>();
  calls.forEach(({ tool, args }, i) => {
    const asked = JSON.parse(JSON.stringify(args), (_key, value) => ids.get(value) ?? value) as Record<string, unknown>;
    const answer = desk.call(tool, asked);
    if (!answer) throw new Error(`the desk has no ${tool}`);
    const recorded = session.calls.find(
      (call) => call.tool === tool && JSON.stringify(call.args) === JSON.stringify(args),
    );
    if (recorded && !recorded.isError && !answer.isError) learn(recorded.text, answer.text, ids);
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id: `t${i}`, name: tool, input: asked }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: `t${i}`,
            content: [{ type: "text", text: answer.text }],
            ...(answer.isError ? { is_error: true } : {}),
          },
        ],
      },
    );
  });
  desk.close();
  messages.push({ role: "assistant", content: [{ type: "text", text: "That is all." }] });
  const row = { session: `${session.task} ${name}`, task_id: session.task, reward, messages };
  return { name, task: session.task, reward, line: JSON.stringify(row) };
}

/** Pairs the ids that two desks gave to the same new thing. */
function learn(recorded: string, answered: string, ids: Map<string, string>): void {
  const made = /\b(?:SO|RF)-\d+\b/g;
  const [theirs, ours] = [recorded.match(made) ?? [], answered.match(made) ?? []];
  theirs.forEach((id, i) => {
    const other = ours[i];
    if (other !== undefined && other !== id) ids.set(id, other);
  });
}

/** Good and bad trials of the recorded tasks, with the rewards that are theirs by construction. */
export function plantedTrials(most: number): Planted[] {
  const sessions = recordedSessions();
  const writing = sessions.filter((session) => written(session).length > 0).slice(0, most);
  const reading = sessions
    .filter((session) => written(session).length === 0 && session.calls.length > 0)
    .slice(0, most);
  const calls = (session: RecordedSession): DeskCall[] => session.calls.map(({ tool, args }) => ({ tool, args }));
  const elsewhere = (session: RecordedSession): DeskCall => {
    const other = writing.find(
      (w) => w !== session && written(w)[0]?.tool === "cancel_order" && w.task !== session.task,
    );
    const [cancel] = other ? written(other) : [];
    if (!cancel) throw new Error("the recordings cancel an order");
    return { tool: cancel.tool, args: cancel.args };
  };
  const browse: DeskCall = { tool: "search_products", args: { query: "chair" } };
  return [
    ...writing.flatMap((session) => {
      const last = session.calls.findLastIndex((call) => WRITES.has(call.tool) && !call.isError);
      return [
        trial(session, "again, after a look around", 1, [browse, ...calls(session)], 4000),
        trial(session, "stops before its last write", 0, calls(session).slice(0, last), 4000),
        trial(session, "writes to another order too", 0, [...calls(session), elsewhere(session)], 4000),
      ];
    }),
    ...reading.flatMap((session) => [
      trial(session, "again, after a look around", 1, [browse, ...calls(session)], 4000),
      trial(session, "writes where nothing was asked", 0, [...calls(session), elsewhere(session)], 4000),
    ]),
  ];
}
