import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { PageLink } from "../../chapters/findings/pages/page-doc.ts";
import { postForm } from "./forms.ts";
import type { Visit } from "./visit.ts";

/** Where the console is served. */
export const CONSOLE = "/console";

const part = encodeURIComponent;
const parts = (id: string) => id.split("/").map(part).join("/");
const at = (folder: string) => (link: PageLink) => `${CONSOLE}/${folder}/${part(link.id)}`;

const PLACES: Readonly<Record<PageLink["page"], (link: PageLink) => string>> = {
  home: () => CONSOLE,
  group: at("groups"),
  compare: ({ id, against = "" }) => `${CONSOLE}/compare?${new URLSearchParams({ a: id, b: against })}`,
  trial: ({ id, against }) =>
    `${CONSOLE}/trials/${parts(id)}${against === undefined ? "" : `?${new URLSearchParams({ list: against })}`}`,
  packet: at("sandboxes"),
  world: ({ id, against = "" }) => `${CONSOLE}/sandboxes/${part(id)}/world?${new URLSearchParams({ table: against })}`,
  provider: at("providers"),
  report: at("reports"),
  coverage: () => `${CONSOLE}/coverage`,
  ontology: (link) => `${at("surfaces")(link)}/ontology`,
  fidelity: (link) => `${at("surfaces")(link)}/fidelity`,
  spend: () => `${CONSOLE}/spend`,
  trial_json: ({ id }) => `${CONSOLE}/trials/${parts(id)}/json`,
  pair: ({ id, against = "" }) => `${CONSOLE}/pair?${new URLSearchParams({ a: id, b: against })}`,
  task: ({ id }) => `${CONSOLE}/tasks/${parts(id)}`,
  trials: ({ id, against = "" }) => `${CONSOLE}/groups/${part(id)}/trials?${new URLSearchParams(against)}`,
  evidence: at("evidence"),
  trace: ({ id }) => `${CONSOLE}/evidence/${part(id.split("/")[0] ?? "")}/traces/${part(id.split("/")[1] ?? "")}`,
  traces: ({ id, against = "" }) => {
    const of = Object.entries({ eid: against, tool: id }).filter(([, value]) => value !== "");
    return `${CONSOLE}/traces?${new URLSearchParams(of)}`;
  },
  showing: ({ id, against = "" }) => `${CONSOLE}/traces/showing?${new URLSearchParams({ rule: id, system: against })}`,
  mode: at("failure-modes"),
  agent: at("agents"),
  cell: ({ id, against = "" }) => `${CONSOLE}/coverage/cell?${new URLSearchParams({ persona: id, job: against })}`,
  tool: ({ id, against = "" }) => `${CONSOLE}/surfaces/${part(id)}/tools/${part(against)}`,
  job: at("jobs"),
  calibration: ({ id, against = "" }) => `${CONSOLE}/calibrations/${part(id)}?${new URLSearchParams(against)}`,
};

/** Where a page is opened in the console. */
export function pathOf(link: PageLink): string {
  return PLACES[link.page](link);
}

type MenuEntry = readonly [name: string, ...at: [string, ...string[]]];

/** Each place with others whose pages are below it in meaning, if not in address. */
function menuOf(visit: Visit): readonly MenuEntry[] {
  return [
    ["Home", ""],
    ["Runs", "/groups", "/live", "/start", "/compare", "/pair", "/trials", "/providers", "/jobs"],
    ["Over time", "/trends"],
    ["Agents", "/agents"],
    ["Traces", "/traces", "/evidence", "/label"],
    ["Tasks", "/review", "/sandboxes", "/tasks", "/calibrations", "/calibrate"],
    ["Failure modes", "/failure-modes", "/proposals"],
    ["Coverage", "/coverage"],
    ["Systems", "/surfaces"],
    ["Reports", "/reports"],
    ["Spend", "/spend"],
    ["Delivery", "/delivery"],
    ...(visit.member.role === "admin" ? ([["Members", "/members"]] as const) : []),
    ["You", "/you", "/tokens"],
  ];
}

/** The place that an address is at; undefined where it is at none. */
export function entryAt(visit: Visit, path: string): { readonly name: string; readonly href: string } | undefined {
  const isAt = (place: string) => path.replace(/\/$/, "") === place || (place !== "" && path.startsWith(`${place}/`));
  const here = menuOf(visit).find(([, ...at]) => at.some(isAt));
  return here && { name: here[0], href: CONSOLE + here[1] };
}

/** What stands above every page: where one can go, with the place that is shown, and the way out. */
export function navigation(visit: Visit, path: string | undefined): ComponentChild {
  const here = path === undefined ? undefined : entryAt(visit, path)?.name;
  return html`
    <nav aria-label="Console">
      <ul>
        ${menuOf(visit).map((each) => html`<li><a href=${CONSOLE + each[1]} aria-current=${each[0] === here ? "page" : undefined}>${each[0]}</a></li>`)}
        <li>${postForm(visit, "/sign-out", "Sign out", null, { plain: true, own: true })}</li>
        ${visit.member.role === "viewer" && html`<li class="soft">You may look at everything here; your role changes nothing.</li>`}
      </ul>
    </nav>
  `;
}
