import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import type { PageSection } from "../../chapters/findings/pages/page-doc.ts";

type Section = Extract<PageSection, { show: "graph" }>;

interface NodePosition {
  readonly column: number;
  readonly x: number;
  readonly y: number;
}

/** The kinds of edges that are told first, and most plainly. */
const FIRST = ["reads", "writes"];
/** Each kind of edge has a colour and a dash of its own. */
const STROKES = [
  { stroke: "var(--plot-good)" },
  { stroke: "var(--plot-bad)", "stroke-dasharray": "6 3" },
  { stroke: "var(--ink)", "stroke-dasharray": "2 3" },
  { stroke: "var(--plot-warn)", "stroke-dasharray": "9 3 2 3" },
  { stroke: "var(--mark)", "stroke-dasharray": "1 4" },
];
/** How wide a letter is, of its font's size. */
const LETTER = 0.6;
const ROW = 22;
const GAP = 8;

/** An SVG of the graph, `width` pixels wide: a column per kind, edges between columns as curves and within one as arcs. */
export function graphSvg(section: Section, width: number): string {
  const { kinds, edges } = section;
  const font = width < 400 ? 11 : 13;
  const legend = legendRows(edges, width, font);
  const columns = arranged(section);
  const last = columns.length - 1;
  const arcs = edges.some((edge) => columns.some((nodes) => holds(nodes, edge.from) && holds(nodes, edge.to)))
    ? 0.1
    : 0;
  const label = (width * (1 - arcs)) / (columns.length * 1.45);
  const tallest = Math.max(1, ...columns.map((nodes) => nodes.length));
  const top = legend.length * (font + 9) + font + 16;
  const height = top + tallest * ROW + 6;
  const free = columns.length < 2 ? 0 : (width * (1 - arcs) - columns.length * (label + GAP)) / (columns.length - 1);
  const x = (column: number) => (column === 0 ? (last === 0 ? 6 : label + GAP) : column * (label + GAP + free) + 2);
  const places = new Map<string, NodePosition>();
  columns.forEach((nodes, column) => {
    nodes.forEach(({ id }, i) => {
      const y = top + ((i + 0.5) / nodes.length) * tallest * ROW;
      places.set(id, { column, x: x(column), y });
    });
  });
  const strokes = new Map(
    edgeKinds(edges).map((kind, i) => [kind, STROKES[i % STROKES.length] as (typeof STROKES)[number]]),
  );
  const most = Math.max(3, Math.floor(label / (font * LETTER)));
  const longest = Math.min(most, Math.max(1, ...(columns[last] ?? []).map((node) => node.label.length)));
  const lengths = new Map(columns.flat().map(({ id, label: name }) => [id, Math.min(most, name.length)]));
  const text = (at: number, y: number, anchor: string, words: string, extra: object = {}) =>
    html`<text x=${at} y=${y} text-anchor=${anchor} font-size=${font} fill="var(--ink)" ...${extra}>${words}</text>`;
  const legends = legend.flatMap((row, i) =>
    row.map(({ kind, at }) => {
      const y = (i + 0.5) * (font + 9);
      return html`
        <line x1=${at} x2=${at + 26} y1=${y} y2=${y} stroke-width="2" ...${strokes.get(kind)} />
        ${text(at + 32, y + font * 0.35, "start", kind)}
      `;
    }),
  );
  const heads = kinds.map((kind, i) =>
    text(x(i) + (i === 0 && last > 0 ? -GAP : GAP), top - 8, i === 0 && last > 0 ? "end" : "start", `${kind}s`, {
      fill: "var(--soft)",
    }),
  );
  const lines = edges.map(({ from, to, kind }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (!a || !b || from === to) return null;
    if (a.column !== b.column)
      return html`<path d=${curve(a, b)} fill="none" stroke-width="1.3" ...${strokes.get(kind)} />`;
    const end = ({ x: at }: NodePosition, letters = 0) =>
      a.column === last ? Math.min(width * (1 - arcs), at + GAP * 2 + letters * font * LETTER) : at;
    const right = end(a, longest);
    const [start, tip] = [end(a, lengths.get(from)), end(b, lengths.get(to))];
    return html`
      <path d=${arc(a, b, right, width - right - 4, start, tip + 6)} fill="none" stroke-width="1.3" ...${strokes.get(kind)} />
      <path d="M${round(tip)} ${round(b.y)}l7 -3.5v7z" fill=${strokes.get(kind)?.stroke} />
    `;
  });
  const dots = columns.flatMap((nodes, column) =>
    nodes.map(({ id, label: name }): ComponentChild => {
      const place = places.get(id);
      if (!place) return null;
      const left = column === 0 && last > 0;
      return html`
        <circle cx=${place.x} cy=${place.y} r="3.5" fill="var(--ink)" />
        ${text(place.x + (left ? -GAP : GAP), place.y + font * 0.35, left ? "end" : "start", shortened(name, most))}
      `;
    }),
  );
  return renderToStaticMarkup(html`
    <svg viewBox="0 0 ${width} ${height}" width=${width} height=${height}>${[legends, heads, lines, dots]}</svg>
  `);
}

function holds(nodes: readonly { readonly id: string }[], id: string): boolean {
  return nodes.some((node) => node.id === id);
}

/** Nodes by column; those of the first stand near what they are joined to, so that fewer edges cross. */
function arranged({ kinds, nodes, edges }: Section): Section["nodes"][] {
  const columns = kinds.map((kind) => nodes.filter((node) => node.kind === kind));
  const place = new Map(columns.slice(1).flatMap((of) => of.map(({ id }, i) => [id, i / of.length] as const)));
  const joined = Map.groupBy(
    edges.flatMap(({ from, to }) => [
      { id: from, at: place.get(to) },
      { id: to, at: place.get(from) },
    ]),
    ({ id }) => id,
  );
  const mean = (id: string) => {
    const at = (joined.get(id) ?? []).flatMap((row) => row.at ?? []);
    return at.length === 0 ? 1 : at.reduce((sum, one) => sum + one, 0) / at.length;
  };
  const [first = [], ...rest] = columns;
  return rest.length === 0 ? [first] : [[...first].sort((a, b) => mean(a.id) - mean(b.id)), ...rest];
}

function edgeKinds(edges: Section["edges"]): string[] {
  const kinds = new Set(edges.map(({ kind }) => kind));
  return [...FIRST.filter((kind) => kinds.delete(kind)), ...[...kinds].sort()];
}

/** The kinds of edges from left to right, in as many rows as they need. */
function legendRows(edges: Section["edges"], width: number, font: number): { kind: string; at: number }[][] {
  const rows: { kind: string; at: number }[][] = [];
  let at = width;
  for (const kind of edgeKinds(edges)) {
    const shown = shortened(kind, 24);
    const needed = 32 + shown.length * font * LETTER + 18;
    if (at + needed > width) {
      rows.push([]);
      at = 2;
    }
    rows.at(-1)?.push({ kind, at });
    at += needed;
  }
  return rows;
}

function curve(a: NodePosition, b: NodePosition): string {
  const middle = (a.x + b.x) / 2;
  return `M${round(a.x)} ${round(a.y)}C${round(middle)} ${round(a.y)} ${round(middle)} ${round(b.y)} ${round(b.x)} ${round(b.y)}`;
}

/** From the end of one name of a column to that of another, to the right; the further apart, the wider. */
function arc(a: NodePosition, b: NodePosition, from: number, room: number, start: number, tip: number): string {
  const out = round(from + (Math.min(room, 10 + Math.abs(a.y - b.y) / 4) * 4) / 3);
  return `M${round(start)} ${round(a.y)}H${round(from)}C${out} ${round(a.y)} ${out} ${round(b.y)} ${round(from)} ${round(b.y)}H${round(tip)}`;
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}

/** Names of tools that begin alike differ at their end, so that what is left out is in the middle. */
function shortened(name: string, most: number): string {
  if (name.length <= most) return name;
  const tail = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - tail).trimEnd()}…${name.slice(name.length - tail).trimStart()}`;
}
