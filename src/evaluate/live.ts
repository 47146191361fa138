import { parseResult } from "../../worlds/answers.ts";
import { Aliases } from "../../worlds/fidelity/aliases.ts";
import { alike } from "../../worlds/fidelity/index.ts";
import type { Json, JsonObject } from "../../worlds/json.ts";
import { answerLive, liveSessions } from "../../worlds/samples/desk/sessions.ts";
import type { Api } from "./api.ts";
import type { MeasuredFidelity } from "./report.ts";

const SESSIONS = 60;
/** Not the seed of the recorded sessions: these were never seen. */
const SEED = 20_261;

interface Counts {
  calls: number;
  identical: number;
  identical_volatile: number;
  not_served: number;
  wrong_success: number;
}

interface WorldCall {
  readonly is_error: boolean;
  readonly answer_class: string;
  readonly answer: Json;
}

/**
 * The compiled world beside the live desk: both answer the same unseen sessions, each session on a fresh database
 * there and on the drawn state here.
 */
export async function measureLive(
  api: Api,
  at: { readonly environment: string; readonly surface: string },
  progress: (done: number, total: number) => void,
): Promise<MeasuredFidelity> {
  const volatile = await volatilePaths(api, at.surface);
  const { world, bundle_id } = await api.call<{ world: string; bundle_id: string }>("worlds_post", {
    environment: at.environment,
    label: "beside the live desk",
  });
  const tools = new Map<string, Counts>();
  const sessions = liveSessions(SEED, SESSIONS);
  for (const [done, session] of sessions.entries()) {
    await api.call("world_reset", { bundle_id, world });
    const live = answerLive(session);
    const aliases = new Aliases();
    for (const [i, { tool, args }] of session.calls.entries()) {
      const observed = live[i];
      const asked = aliases.args(args as JsonObject);
      const answered = await api.call<WorldCall>("world_call", { bundle_id, world, tool, args: asked });
      if (observed) count(countsOf(tools, tool), observed, answered, aliases, volatile.get(tool) ?? []);
    }
    progress(done + 1, sessions.length);
  }
  const byName = [...tools].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    against: "the live desk",
    sessions: sessions.length,
    counts: total(byName),
    tools: Object.fromEntries(byName),
  };
}

/** Per tool the paths of its answers that differ from call to call whatever the state. */
async function volatilePaths(api: Api, surface: string): Promise<Map<string, readonly string[]>> {
  const { rows } = await api.call<{ rows: { tool: string; volatile: string[] }[] }>("surface_representation", {
    surface,
    part: "behaviours",
    limit: 500,
  });
  return new Map(rows.map((row) => [row.tool, row.volatile]));
}

function count(
  counts: Counts,
  observed: { readonly text: string; readonly isError: boolean },
  answered: WorldCall,
  aliases: Aliases,
  volatile: readonly string[],
): void {
  counts.calls++;
  if (answered.answer_class === "error:not_served") {
    counts.not_served++;
    return;
  }
  const { value } = parseResult(observed.text);
  aliases.learn(value, answered.answer, volatile);
  const answer = aliases.answer(answered.answer);
  const sameEnd = observed.isError === answered.is_error;
  if (sameEnd && alike(answered.answer, value, [])) counts.identical++;
  if (sameEnd && alike(answer, value, volatile)) counts.identical_volatile++;
  else if (!answered.is_error) counts.wrong_success++;
}

function countsOf(tools: Map<string, Counts>, tool: string): Counts {
  const counts = tools.get(tool) ?? { calls: 0, identical: 0, identical_volatile: 0, not_served: 0, wrong_success: 0 };
  tools.set(tool, counts);
  return counts;
}

function total(tools: readonly (readonly [string, Counts])[]): Counts {
  const sum = (key: keyof Counts) => tools.reduce((n, [, counts]) => n + counts[key], 0);
  return {
    calls: sum("calls"),
    identical: sum("identical"),
    identical_volatile: sum("identical_volatile"),
    not_served: sum("not_served"),
    wrong_success: sum("wrong_success"),
  };
}
