import { playerName } from "../../records/runs/runs.ts";
import type { Finding, WeeklyHeadline } from "./finding.ts";
import { inert } from "./inert.ts";
import { armCounts, basis, causeLine, EXAMPLE_NOTE, headline, moreTasks, SHORT_NAME, taskCounts } from "./sentences.ts";

/** A text object that the chat tool shows as it stands: no markup, links or mentions are read in it. */
interface PlainText {
  readonly type: "plain_text";
  readonly text: string;
  readonly emoji: false;
}

/** The kinds of blocks that a finding is made of. */
export type ChatBlock =
  | { readonly type: "header"; readonly text: PlainText }
  | { readonly type: "section"; readonly text?: PlainText; readonly fields?: readonly PlainText[] }
  | { readonly type: "context"; readonly elements: readonly PlainText[] }
  | {
      readonly type: "actions";
      readonly elements: readonly [{ readonly type: "button"; readonly text: PlainText; readonly url: string }];
    };

/** A chat message: its blocks, and the text that notifications show. */
export interface ChatMessage {
  readonly text: string;
  readonly blocks: readonly ChatBlock[];
}

const HEADER = 150;
const SECTION = 3000;
const LINE = 800;

/** A finding as one chat message. Text of others stands in plain-text objects and, in `text`, escaped. */
export function chatMessage(finding: Finding): ChatMessage {
  const name = (text: string) => inert(text, 60);
  const said = headline(finding, (text) => inert(text, SHORT_NAME));
  const causes = causeLine(finding);
  const tasks = finding.tasks.map((task) => `• ${inert(task.request, 160)}\n   ${taskCounts(task)}`);
  const more = moreTasks(finding);
  const blocks: ChatBlock[] = [
    { type: "header", text: plain(said, HEADER) },
    ...(finding.example ? [context(EXAMPLE_NOTE)] : []),
    {
      type: "section",
      fields: [
        plain(`Main: ${playerName(finding.main, name)}\n${armCounts(finding.main)}`, 2000),
        plain(`Tested: ${playerName(finding.tested, name)}\n${armCounts(finding.tested)}`, 2000),
      ],
    },
    ...(causes === "" ? [] : [section(`Root causes of the failures: ${causes}.`)]),
    ...(tasks.length === 0 ? [] : [section(["Tasks that changed:", ...tasks, more].filter(Boolean).join("\n"))]),
    context(basis(finding)),
    ...(finding.url === undefined ? [] : [link(finding.url)]),
  ];
  return { text: escapeChat(`${finding.example ? `${EXAMPLE_NOTE} ` : ""}${said}`), blocks };
}

/** The three characters that the chat tool's markup is made with, as entities. */
export function escapeChat(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/**
 * The week's page as one chat message: its headline lines, and a button that opens it. Lines hold no text of others that
 * was not made inert.
 */
export function weeklyMessage({ week, lines, example, url }: WeeklyHeadline & { readonly url: string }): ChatMessage {
  const blocks: ChatBlock[] = [
    { type: "header", text: plain(`The week ${week}`, HEADER) },
    ...(example ? [context(EXAMPLE_NOTE)] : []),
    section(lines.map((line) => `• ${line}`).join("\n")),
    context("Written by rule from stored records (tier on every number of the page)."),
    link(url, "Open the page"),
  ];
  return { text: escapeChat(`${example ? `${EXAMPLE_NOTE} ` : ""}The week ${week}. ${lines[0] ?? ""}`), blocks };
}

/** An alert as one chat message: its title and a sentence a line. The lines hold no text that the chat tool reads as its own. */
export function alertMessage(title: string, lines: readonly string[]): ChatMessage {
  const blocks: ChatBlock[] = [
    { type: "header", text: plain(title, HEADER) },
    section(lines.map((line) => `• ${inert(line, LINE)}`).join("\n")),
  ];
  return { text: escapeChat(`${title}. ${inert(lines[0] ?? "", LINE)}`), blocks };
}

function plain(text: string, most: number): PlainText {
  return { type: "plain_text", text: text.length > most ? `${text.slice(0, most - 1)}…` : text, emoji: false };
}

function section(text: string): ChatBlock {
  return { type: "section", text: plain(text, SECTION) };
}

function context(text: string): ChatBlock {
  return { type: "context", elements: [plain(text, 2000)] };
}

function link(url: string, words = "Open the finding"): ChatBlock {
  return { type: "actions", elements: [{ type: "button", text: plain(words, 75), url }] };
}
