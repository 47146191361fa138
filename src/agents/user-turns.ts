import type { AgentAnswer, TrialBrief } from "../../chapters/ports/launcher.ts";

/** What the user says, turn by turn: what is fixed, then what is replied to the answers given by then, for as long as there is a reply. */
export async function* userTurns(
  { turns, reply }: Pick<TrialBrief, "turns" | "reply">,
  answers: readonly AgentAnswer[],
): AsyncGenerator<string> {
  yield* turns;
  for (let text = await reply?.(answers); text !== undefined; text = await reply?.(answers)) yield text;
}
