import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import { playerName } from "../../records/runs/runs.ts";
import type { Finding, WeeklyHeadline } from "./finding.ts";
import { inert } from "./inert.ts";
import { armCounts, basis, causeLine, EXAMPLE_NOTE, headline, moreTasks, SHORT_NAME, taskCounts } from "./sentences.ts";

/** A mail's three parts; the subject is one line. */
export interface MailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const SUBJECT = 180;
const LINE = 800;
const TITLE = "font-size:18px;font-weight:600";
const CELL = "padding:4px 12px 4px 0;text-align:left;vertical-align:top";

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
  const body = html`
    ${note.map((words) => html`<p><strong>${words}</strong></p>`)}
    <p style=${TITLE}>${title}</p>
    <ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>
  `;
  return {
    subject: cut(subject),
    text: finding && said !== undefined ? `${text}\n${textOf(finding, said)}` : text,
    html: pageOf(finding && said !== undefined ? [body, bodyOf(finding, said)] : body),
  };
}

/** An alert as a mail: its title and a sentence a line. */
export function alertMail(org: string, title: string, lines: readonly string[]): MailMessage {
  const said = lines.map((line) => inert(line, LINE));
  return {
    subject: cut(`[${inert(org, SHORT_NAME)}] ${title}`),
    text: [`${title}:`, ...said.map((line) => `- ${line}`), ""].join("\n"),
    html: pageOf(html`
      <p style=${TITLE}>${title}</p>
      <ul>${said.map((line) => html`<li>${line}</li>`)}</ul>
    `),
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
    `Main:   ${playerName(finding.main, name)}: ${armCounts(finding.main)}`,
    `Tested: ${playerName(finding.tested, name)}: ${armCounts(finding.tested)}`,
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

function bodyOf(finding: Finding, said: string): ComponentChildren {
  const { example, main, tested, tasks, url } = finding;
  const [causes, more] = [causeLine(finding), moreTasks(finding)];
  const row = (what: string, arm: Finding["main"]) => html`
    <tr><th style=${CELL}>${what}</th><td style=${CELL}>${playerName(arm, name)}</td><td style=${CELL}>${armCounts(arm)}</td></tr>
  `;
  const changed = tasks.map((task) => html`<li>${inert(task.request, 200)}<br />${taskCounts(task)}</li>`);
  return html`
    ${example && html`<p><strong>${EXAMPLE_NOTE}</strong></p>`}
    <p style=${TITLE}>${said}</p>
    <table style="border-collapse:collapse">${row("Main", main)}${row("Tested", tested)}</table>
    ${causes !== "" && html`<p>Root causes of the failures: ${causes}.</p>`}
    ${
      tasks.length > 0 &&
      html`
        <p>Tasks that changed:</p>
        <ul>${changed}${more !== "" && html`<li>${more}</li>`}</ul>
      `
    }
    <p style="color:#5b6675;font-size:13px">${basis(finding)}</p>
    ${url !== undefined && html`<p><a href=${url}>Open the finding</a></p>`}
  `;
}

function pageOf(body: ComponentChildren): string {
  const page = html`
    <html lang="en">
      <head><meta charset="utf-8" /></head>
      <body style="font:15px/1.5 system-ui,sans-serif;color:#1c2430">${body}</body>
    </html>
  `;
  return `<!doctype html>\n${renderToStaticMarkup(page)}\n`;
}
