import { playerName } from "../../records/runs/runs.ts";
import { escapeText } from "../../text/markdown.ts";
import type { Finding } from "./finding.ts";
import { inert } from "./inert.ts";
import { armCounts, basis, causeLine, EXAMPLE_NOTE, headline, moreTasks, taskCounts } from "./sentences.ts";

/** The line by which a comment of ours is found again on a pull request. */
export const COMMENT_MARKER = "<!-- svc:finding -->";

/** A finding as a pull-request comment. Text of others is escaped: no link, mention, reference or markup of its own. */
export function prComment(finding: Finding): string {
  return `${COMMENT_MARKER}\n${findingMarkdown(finding)}`;
}

/** A finding as Markdown of our own words; texts of others are made inert and cut, so that no markup, link or mention of theirs works. */
export function findingMarkdown(finding: Finding): string {
  const causes = causeLine(finding);
  const row = (what: string, arm: Finding["main"]) => `| ${what} | ${playerName(arm, safe(60))} | ${armCounts(arm)} |`;
  const lines = [
    ...(finding.example ? [`> **${EXAMPLE_NOTE}**`, ""] : []),
    `**${headline(finding, safe(60))}**`,
    "",
    "| run | agent | trials |",
    "|---|---|---|",
    row("main", finding.main),
    row("tested", finding.tested),
    "",
    ...(causes === "" ? [] : [`Root causes of the failures: ${causes}.`, ""]),
    ...(finding.tasks.length === 0 ? [] : ["Tasks that changed:", ""]),
    ...finding.tasks.map((task) => `- ${safe(200)(task.request)} (${taskCounts(task)})`),
    ...(moreTasks(finding) === "" ? [] : [`- ${moreTasks(finding)}`]),
    ...(finding.tasks.length === 0 ? [] : [""]),
    `<sub>${basis(finding)}</sub>`,
    ...(finding.url === undefined ? [] : ["", `[Open the finding](${finding.url})`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Made inert before it is escaped: what would be a reference after the escapes are undone is broken too. */
function safe(most: number): (text: string) => string {
  return (text) => escapeText(inert(text, most), most * 2);
}
