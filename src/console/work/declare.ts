import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { loadBundle } from "../../../chapters/blobs.ts";
import { AppError, notFound } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, shown } from "../../../chapters/findings/pages/words.ts";
import { WRONG_WORDS } from "../../../chapters/findings/viewer/tool.ts";
import { behaviourExamples } from "../../../chapters/sandboxes/surfaces/behaviour-examples.ts";
import { stepWords } from "../../../chapters/sandboxes/surfaces/behaviour-words.ts";
import { findSurface } from "../../../chapters/sandboxes/surfaces/surfaces.ts";
import { type ToolReplay, tryDeclaration } from "../../../chapters/sandboxes/surfaces/try-declaration.ts";
import { printLines } from "../../../worlds/behaviour/print.ts";
import type { Behaviour } from "../../../worlds/behaviour/schema.ts";
import { table } from "../../pages/html.ts";
import { block, folded, hidden, longField, postForm, textField } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";

const PATH = "/surfaces/:surface/tools/:tool/declare";
const CHARS = 300;
/** Of fewer calls a share says little. */
const FEW = 20;

interface Redrawn {
  readonly environments_refreshed: readonly { readonly environment: string }[];
}

/** Saying how a tool behaves, in place of what was compiled of it: first what it would change, then the change. */
export const declarePages: readonly ConsoleRoute[] = [
  shows(PATH, (visit) => page(visit)),
  does(`${PATH}/try`, async (visit) => {
    const behaviour = needed(visit, "behaviour");
    return page(visit, behaviour, await outcome(visit, behaviour));
  }),
  does(PATH, async (visit) => {
    const [surface, tool] = [visit.param("surface"), visit.param("tool")];
    const reason = field(visit, "reason");
    const { environments_refreshed: changed } = await visit.call<Redrawn>("surface_world_redraw", {
      surface,
      redeclared_tools: [{ name: tool, behaviour: needed(visit, "behaviour") }],
      ...(reason === undefined ? {} : { reason }),
    });
    const [first] = changed;
    const place = first === undefined ? "/surfaces" : `/sandboxes/${encodeURIComponent(first.environment)}`;
    return { to: CONSOLE + place };
  }),
  does(`${PATH}/undo`, async (visit) => {
    await visit.call("surface_world_revert", { surface: visit.param("surface") });
    return { to: CONSOLE + ownPath(visit) };
  }),
];

function ownPath(visit: Visit): string {
  const part = (name: string) => encodeURIComponent(visit.param(name));
  return `/surfaces/${part("surface")}/tools/${part("tool")}/declare`;
}

/** What declaring it so comes to: `able` where it can be declared at all. */
interface Outcome {
  readonly result: ComponentChild;
  readonly able: boolean;
}

async function page(visit: Visit, asked?: string, tried?: Outcome): Promise<View> {
  const tool = visit.param("tool");
  const surface = await findSurface(visit.ctx, visit.param("surface"));
  if (surface.bundle === undefined) throw notFound("compiled tool of this surface");
  const { record, bundle } = await loadBundle(visit.ctx, surface.bundle);
  if (!bundle.tools.some(({ name }) => name === tool)) throw notFound("tool of this surface");
  const own = Object.hasOwn(bundle.behaviours, tool) ? bundle.behaviours[tool] : undefined;
  const steps = own === undefined ? undefined : printLines(own.behaviour);
  const declared = record.declared?.tools_redeclared.includes(tool) === true;
  const held = Object.entries(record.fidelity?.tools ?? {}).find(([name]) => name === tool)?.[1];
  const place = ownPath(visit);
  const examples = behaviourExamples(bundle, tool);
  const chosen = examples[Number(visit.query.get("example") ?? Number.NaN)]?.behaviour;
  const behaviour = asked ?? chosen ?? steps ?? "";
  const form = html`
    <div id="change">
      <p>
        Steps, each on a line, with semicolons between: <code>let NAME = VALUE</code>, <code>refuse "WORDS" when VALUE</code>,
        <code>insert</code>, <code>update</code> or <code>delete</code> on a table, and last <code>answer VALUE</code>.
        A value is a CEL expression over <code>args</code>; <code>lookup("TABLE", key)</code> is a row or null. Change a
        step, and see what that does to recorded calls: nothing is served otherwise until you declare it.
      </p>
      <details>
        <summary>Examples on this system: ${examples.length}</summary>
        <ul>${examples.map((each, i) => html`<li><p>${each.words} <a href="${CONSOLE}${place}?example=${i}#change">Begin from it</a></p><pre tabindex="0">${each.behaviour}</pre></li>`)}</ul>
      </details>
      ${postForm(
        visit,
        `${place}/try`,
        "See what it would change",
        longField("behaviour", "What it does, a step on each line", {
          value: behaviour,
          rows: rowsFor(behaviour),
          code: true,
        }),
      )}
    </div>
  `;
  return {
    doc: {
      v: 1,
      title: `How ${cut(tool, 80)} behaves`,
      made_at: visit.ctx.now(),
      verdict: verdictOf(held, declared),
      sections: [],
    },
    lead: [
      html`<p class="ways"><a class="button" href="#change">Change it</a> <a href=${CONSOLE + place.replace(/\/declare$/, "")}>What it answers otherwise than observed</a></p>`,
      tried?.result,
      asked === undefined &&
        chosen === undefined &&
        own !== undefined &&
        block("What it does now", inWords(own.behaviour)),
      asked === undefined && chosen === undefined && steps !== undefined
        ? folded("The steps as code, to be changed", form)
        : form,
      asked !== undefined &&
        tried?.able === true &&
        block(
          "Serve it so",
          html`<p>Every sandbox of the system is drawn again with it, and its tasks are reviewed there. It can be taken back.</p>`,
          postForm(visit, place, "Declare it", [hidden("behaviour", asked), textField("reason", "Why (may be empty)")]),
        ),
      declared &&
        block(
          "Take it back",
          postForm(visit, `${place}/undo`, "Put the sandboxes back as they were", null, { plain: true }),
        ),
    ],
  };
}

type Answered = { readonly calls: number; readonly identical_volatile: number };

/** How it answers what it was not compiled from. */
function verdictOf(held: Answered | undefined, declared: boolean): PageDoc["verdict"] {
  const said = declared ? " A person has said how it behaves." : "";
  const how = `Kept-aside calls are of sessions that it was not compiled from.${said}`;
  const tier = "deterministic";
  if (held === undefined || held.calls === 0)
    return { text: "It was not measured on calls that were kept aside.", tone: "plain", tier, how };
  const { calls, identical_volatile: alike } = held;
  const few = calls < FEW ? "; few calls" : "";
  return {
    text: `Answers ${alike} of ${counted(calls, "kept-aside call")} as observed${few}.`,
    tone: alike < calls ? "warn" : calls < FEW ? "plain" : "good",
    tier,
    how,
  };
}

/** A behaviour step by step, each in a sentence; how it is written is folded. */
function inWords(behaviour: Behaviour): ComponentChild {
  const sentences = behaviour.steps.map(stepWords);
  return html`
    ${sentences.some((each) => each.includes("not served")) && html`<p class="soft">A call that is refused is answered with the tool's error. One that is not served the world cannot answer, and says so.</p>`}
    <ol class="steps">
      ${behaviour.steps.map((step, i) => html`<li><p>${sentences[i]}</p><details><summary>Code</summary><pre tabindex="0">${printLines({ ...behaviour, steps: [step] })}</pre></details></li>`)}
    </ol>
  `;
}

/** Rows that show a behaviour whole, as far as a screen holds it. */
function rowsFor(behaviour: string): number {
  const lines = behaviour.split("\n").map((line) => Math.max(1, Math.ceil(line.length / 100)));
  return Math.min(
    24,
    Math.max(
      4,
      lines.reduce((sum, n) => sum + n, 0),
    ),
  );
}

/** What cannot be declared is told above the form, which keeps what was typed. */
async function outcome(visit: Visit, behaviour: string): Promise<Outcome> {
  try {
    return { result: await replayed(visit, behaviour), able: true };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const why = error.details.fields?.[0]?.message ?? error.reason;
    return { result: html`<p role="alert" class="verdict is-warn">It cannot be declared so: ${why}.</p>`, able: false };
  }
}

/** What the declared function answers in recorded sessions, beside what is served now and what was observed. */
async function replayed(visit: Visit, behaviour: string): Promise<ComponentChild> {
  const [surface, tool] = [visit.param("surface"), visit.param("tool")];
  const found = await tryDeclaration(visit.ctx, { surface, tool, behaviour });
  const { sessions, calls, alike, wrong_success, now, changes, examples } = found;
  const tone = wrong_success > now.wrong_success || alike < now.alike ? "warn" : alike > now.alike ? "good" : "plain";
  const counts = (name: string, of: (each: ToolReplay["now"]) => number) => [name, of(now), of(found)];
  return html`
    <section role="status">
      <h2>What it would change</h2>
      <p class="verdict is-${tone}">
        Declared so it answers ${alike} of ${counted(calls, "recorded call")} as observed, now ${now.alike}; it answers
        ${` ${counted(changes, "call")} otherwise than now, in ${counted(sessions, "session")} replayed whole.`}
      </p>
      ${table(
        "Recorded calls by how they are answered.",
        [{ name: "" }, { name: "Now", n: true }, { name: "Declared so", n: true }],
        [
          counts("As observed", (each) => each.alike),
          counts("Wrong success", (each) => each.wrong_success),
          counts("Not served", (each) => each.not_served),
          counts("Wrong refusal", (each) => calls - each.alike - each.wrong_success - each.not_served),
        ],
      )}
      ${
        examples.length > 0 &&
        table(
          "The first calls that it answers otherwise than now, then those that stay otherwise than observed.",
          [
            { name: "Called with", wide: true },
            { name: "Observed", wide: true },
            { name: "Now", wide: true },
            { name: "Declared so", wide: true },
          ],
          examples.map((each) => [
            shown(each.args, CHARS),
            shown(each.observed, CHARS),
            answerCell(each.now),
            each.changes ? answerCell(each.declared) : "as now",
          ]),
        )
      }
    </section>
  `;
}

function answerCell({ verdict, answered }: ToolReplay["examples"][number]["now"]): ComponentChild {
  if (verdict === "identical" || verdict === "identical_volatile") return html`<span class="good">as observed</span>`;
  const wrong = html`<span class="bad">${WRONG_WORDS[verdict]}</span>`;
  return verdict === "not_served" ? wrong : html`${wrong}<br />${shown(answered, CHARS)}`;
}
