import { whatWouldHelp } from "../../chapters/sandboxes/tasks/no-tasks.ts";
import type { AgentRun, EvaluationReport } from "./report.ts";
import { gapsWithoutTask } from "./warnings.ts";

/** What the next steps are told from. */
interface Ended
  extends Pick<EvaluationReport, "files" | "heldOut">,
    Partial<Pick<EvaluationReport, "bundle" | "tasks">> {
  readonly surface: string;
  /** The two runs that were compared; empty where none were. */
  readonly compared: readonly AgentRun[];
  readonly dataDir: string | undefined;
}

/** What a person does after an evaluation, a command each with what it is for. */
export function nextSteps({ files, heldOut, surface, compared, dataDir, ...found }: Ended): string[] {
  const at = dataDir === undefined ? "" : `SVC_DATA_DIR=${word(dataDir)} `;
  const [a, b] = compared;
  return [
    `${at}svc serve: prints the console's address, with every task, trial and tool answer behind these figures`,
    a && b
      ? `${at}svc compare ${a.group} ${b.group} --gate: the same comparison as an exit status, for CI`
      : `svc evaluate FILES --agent "old=COMMAND" --agent "new=COMMAND": runs two versions of your agent and compares them`,
    `${at}svc push MORE_FILES --surface ${word(surface)}: adds evidence; what would help most: ${whatWouldHelp(heldOut?.tools ?? {}, files, gapsWithoutTask(found))}`,
  ];
}

/** A word of a command line, in single quotes where a shell would read it as more. */
function word(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
