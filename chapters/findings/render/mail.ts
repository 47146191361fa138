import { type ComponentChild, h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import type { Finding, WeeklyHeadline } from "./finding.ts";
import { inert } from "./inert.ts";
import {
  armCounts,
  armName,
  basis,
  causeLine,
  EXAMPLE_NOTE,
  headline,
  moreTasks,
  SHORT_NAME,
  taskCounts,
} from "./sentences.ts";

/** A mail's three parts; the subject is one line. */
export interface MailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const SUBJECT = 180;
const CELL = { style: "padding:4px 12px 4px 0;text-align:left;vertical-align:top" };

/** A finding as a mail, as HTML without script, image or outside request, and as text that says the same. */
export function mailMessage(finding: Finding): MailMessage {
  const said = headline(finding, name);
  const short = (text: string) => inert(text, SHORT_NAME);
  const subject = `${finding.example ? "[invented example data] " : ""}[${short(finding.org)}] ${headline(finding, short)}`;
  return { subject: cut(subject), text: textOf(finding, said), html: pageOf(bodyOf(finding, said)) };
}

/** The week's headline lines as a mail, and after them the org's finding where it has one. */
export function weeklyMail({ org, week, lines, example }: WeeklyHeadline, finding: Finding | undefined): MailMessage {
  const title = `The week ${week}`;
  const subject = `${example ? "[invented example data] " : ""}[${inert(org, SHORT_NAME)}] ${title}: ${lines[0] ?? ""}`;
  const note = example && !finding?.example ? [EXAMPLE_NOTE] : [];
  const said = finding && headline(finding, name);
  const text = [...note, `${title}:`, ...lines.map((line) => `- ${line}`), ""].join("\n");
  const body = [
    ...note.map((words) => h("p", null, h("strong", null, words))),
    h("p", { style: "font-size:18px;font-weight:600" }, title),
    h("ul", null, ...lines.map((line) => h("li", null, line))),
  ];
  return {
    subject: cut(subject),
    text: finding && said !== undefined ? `${text}\n${textOf(finding, said)}` : text,
    html: pageOf(finding && said !== undefined ? [...body, ...bodyOf(finding, said)] : body),
  };
}

function name(text: string): string {
  return inert(text, 60);
}

function cut(subject: string): string {
  return subject.length > SUBJECT ? `${subject.slice(0, SUBJECT - 1)}…` : subject;
}

function textOf(finding: Finding, said: string): string {
  const causes = causeLine(finding);
  const lines = [
    ...(finding.example ? [EXAMPLE_NOTE, ""] : []),
    said,
    "",
    `Main:   ${armName(finding.main, name)}: ${armCounts(finding.main)}`,
    `Tested: ${armName(finding.tested, name)}: ${armCounts(finding.tested)}`,
    "",
    ...(causes === "" ? [] : [`Root causes of the failures: ${causes}.`, ""]),
    ...(finding.tasks.length === 0 ? [] : ["Tasks that changed:"]),
    ...finding.tasks.map((task) => `- ${inert(task.request, 200)}\n  ${taskCounts(task)}`),
    ...(moreTasks(finding) === "" ? [] : [moreTasks(finding)]),
    ...(finding.tasks.length === 0 ? [] : [""]),
    basis(finding),
    ...(finding.url === undefined ? [] : ["", finding.url]),
  ];
  return `${lines.join("\n")}\n`;
}

function bodyOf(finding: Finding, said: string): ComponentChild[] {
  const causes = causeLine(finding);
  const row = (what: string, arm: Finding["main"]) =>
    h("tr", null, h("th", CELL, what), h("td", CELL, armName(arm, name)), h("td", CELL, armCounts(arm)));
  return [
    finding.example ? h("p", null, h("strong", null, EXAMPLE_NOTE)) : null,
    h("p", { style: "font-size:18px;font-weight:600" }, said),
    h("table", { style: "border-collapse:collapse" }, row("Main", finding.main), row("Tested", finding.tested)),
    causes === "" ? null : h("p", null, `Root causes of the failures: ${causes}.`),
    finding.tasks.length === 0 ? null : h("p", null, "Tasks that changed:"),
    finding.tasks.length === 0
      ? null
      : h(
          "ul",
          null,
          ...finding.tasks.map((task) => h("li", null, inert(task.request, 200), h("br", null), taskCounts(task))),
          moreTasks(finding) === "" ? null : h("li", null, moreTasks(finding)),
        ),
    h("p", { style: "color:#5b6675;font-size:13px" }, basis(finding)),
    finding.url === undefined ? null : h("p", null, h("a", { href: finding.url }, "Open the finding")),
  ];
}

function pageOf(body: readonly ComponentChild[]): string {
  const page = h(
    "html",
    { lang: "en" },
    h("head", null, h("meta", { charSet: "utf-8" })),
    h("body", { style: "font:15px/1.5 system-ui,sans-serif;color:#1c2430" }, ...body),
  );
  return `<!doctype html>\n${renderToStaticMarkup(page)}\n`;
}
