import { playerName } from "../../records/runs/runs.ts";
import type { Finding } from "./finding.ts";
import { inert } from "./inert.ts";
import { findingMarkdown } from "./pr-comment.ts";
import { armCounts, EXAMPLE_NOTE, headline, SHORT_NAME } from "./sentences.ts";

/** A finding as the observability vendor takes it: an event, a notebook, and an experiment (its project and dataset are the sender's). */
export interface ObsPayloads {
  readonly event: {
    readonly title: string;
    readonly text: string;
    readonly tags: readonly string[];
    readonly alert_type: "error" | "warning" | "info";
    readonly aggregation_key: string;
    readonly date_happened: number;
  };
  readonly notebook: {
    readonly data: {
      readonly type: "notebooks";
      readonly attributes: {
        readonly name: string;
        readonly status: "published";
        readonly time: { readonly live_span: "1h" };
        readonly cells: readonly {
          readonly type: "notebook_cells";
          readonly attributes: { readonly definition: { readonly type: "markdown"; readonly text: string } };
        }[];
      };
    };
  };
  readonly experiment: {
    readonly name: string;
    readonly description: string;
    readonly metadata: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  };
}

const TITLE = 100;
const EVENT_TEXT = 4000;
const NOTEBOOK_NAME = 80;
const KEY = 100;

/** The three payloads; each cites the trials behind the finding and links its page where there is one. */
export function obsPayloads(finding: Finding): ObsPayloads {
  const name = (text: string) => inert(text, 40);
  const said = headline(finding, name);
  const short = headline(finding, (text) => inert(text, SHORT_NAME - 8));
  const title = `${finding.example ? "[invented example data] " : ""}${short}`;
  const cites = finding.cites.length === 0 ? "No failed trial is cited." : `Trials: ${finding.cites.join(", ")}`;
  const body = `${findingMarkdown(finding)}\n${cites}\n`;
  const { main, tested, org, n, words, difference } = finding;
  return {
    event: {
      title: cut(title, TITLE),
      text: markdownEvent(body),
      tags: [
        `org:${org}`,
        `group:${tested.group}`,
        `against:${main.group}`,
        `tier:${finding.tier}`,
        ...exampleTag(finding),
      ],
      alert_type:
        words === "shown" && difference < 0 ? "error" : words === "leaning" && difference < 0 ? "warning" : "info",
      aggregation_key: cut(`finding:${org}:${tested.group}`, KEY),
      date_happened: Math.floor(finding.at),
    },
    notebook: {
      data: {
        type: "notebooks",
        attributes: {
          name: cut(title, NOTEBOOK_NAME),
          status: "published",
          time: { live_span: "1h" },
          cells: [{ type: "notebook_cells", attributes: { definition: { type: "markdown", text: body } } }],
        },
      },
    },
    experiment: {
      name: cut(`${tested.group} against ${main.group}`, KEY),
      description: `${finding.example ? `${EXAMPLE_NOTE} ` : ""}${said} ${playerName(tested, name)}: ${armCounts(tested)}; ${playerName(main, name)}: ${armCounts(main)}.`,
      metadata: {
        org,
        group: tested.group,
        against: main.group,
        tier: finding.tier,
        n,
        difference,
        confidence: finding.confidence,
        words,
        trials: finding.cites,
        ...(finding.example ? { invented_example_data: true } : {}),
        ...(finding.url === undefined ? {} : { url: finding.url }),
      },
    },
  };
}

/** Markdown in an event's text stands between its own marks, which count towards the limit. */
function markdownEvent(body: string): string {
  const [open, close] = ["%%%\n", "\n%%%"];
  return `${open}${cut(body, EVENT_TEXT - open.length - close.length)}${close}`;
}

function exampleTag({ example }: Finding): string[] {
  return example ? ["invented_example_data:true"] : [];
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
