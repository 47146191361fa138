import { fidelityPage } from "../../chapters/findings/pages/fidelity.ts";
import { ontologyPage } from "../../chapters/findings/pages/ontology.ts";
import type { Cell, PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { cut } from "../../chapters/findings/pages/words.ts";
import { currentRevision } from "../../chapters/ontology/revisions.ts";
import { more, pageOf } from "./findings.ts";
import { type Place, shows } from "./place.ts";
import type { Visit } from "./visit.ts";

interface Surfaces {
  readonly surfaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly environments: readonly { readonly id: string; readonly label: string }[];
  }[];
  readonly next?: string;
}

/** The systems that agents talk to, as they are known. */
export const surfacePages: readonly Place[] = [
  shows("/surfaces", surfaces),
  shows("/surfaces/:surface/ontology", async ({ ctx, param }) => ({ doc: await ontologyPage(ctx, param("surface")) })),
  shows("/surfaces/:surface/fidelity", async ({ ctx, param }) => ({ doc: await fidelityPage(ctx, param("surface")) })),
];

async function surfaces(visit: Visit) {
  const { surfaces: rows, next } = await visit.call<Surfaces>("surfaces_list", pageOf(visit));
  const revisions = await Promise.all(rows.map(({ id }) => currentRevision(visit.ctx, id)));
  const compiled = new Set(rows.filter((_, i) => revisions[i] !== undefined).map(({ id }) => id));
  const doc: PageDoc = {
    v: 1,
    title: "Systems",
    made_at: visit.ctx.now(),
    sections: [
      rows.length === 0
        ? { show: "text", paragraphs: ["No system is known yet: send evidence of how your agents are used."] }
        : {
            show: "table",
            caption: "Every system whose fake worlds agents are tried in, with what is known of it.",
            tier: "deterministic",
            columns: [
              { name: "System", kind: "wide" },
              { name: "Known" },
              { name: "Fidelity" },
              { name: "Sandboxes", kind: "wide" },
            ],
            rows: rows.flatMap(({ id, name, environments }): Cell[][] => {
              const [first, ...others] = environments;
              const sandbox = (one: typeof first): Cell =>
                one === undefined ? "none" : { text: cut(one.label, 80), link: { page: "packet", id: one.id } };
              return [
                [
                  cut(name, 80),
                  compiled.has(id) ? { text: "ontology", link: { page: "ontology", id } } : "not compiled",
                  { text: "fidelity", link: { page: "fidelity", id } },
                  sandbox(first),
                ],
                ...others.map((one): Cell[] => ["", "", "", sandbox(one)]),
              ];
            }),
          },
    ],
  };
  return { doc, acts: more("/surfaces", next) };
}
