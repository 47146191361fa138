import { DOCUMENT_QUESTIONS } from "../../tools/questions/documents.ts";
import { docPages } from "./docs.ts";

/** What a page of the documentation tells by itself, and the questions that it answers. */
export interface Documented {
  readonly name: string;
  readonly kind: "page";
  readonly texts: readonly string[];
  readonly description?: { readonly title: string };
  readonly text: string;
}

/** How long the sentences of a page are that are told. */
const LONGEST = 420;

/** The questions of the limits, and the pages that questions lead to. */
export function documented(): Documented[] {
  return [...answers(), ...pages()];
}

/** The questions that docs/limits.md answers, each with its answer. */
function answers(): Documented[] {
  const rows = page("limits").matchAll(/^\*\*([^*]+\?)\*\* ([\s\S]+?)\n(?:\n|$)/gm);
  return [...rows].map(([, question = "", answer = ""]) => {
    const texts = [question, ...split(DOCUMENT_QUESTIONS[question])];
    return { name: question, kind: "page" as const, texts, text: `${plain(answer)} (docs/limits.md)` };
  });
}

/** The pages by their first sentences. */
function pages(): Documented[] {
  return docPages().flatMap(({ name, title, text }) => {
    const texts = split(DOCUMENT_QUESTIONS[name]);
    if (texts.length === 0) return [];
    const first = plain(text.split("\n\n").find((part) => /^[A-Z`]/.test(part)) ?? "");
    return {
      name: `docs/${name}.md`,
      kind: "page" as const,
      texts,
      description: { title },
      text: `docs/${name}.md tells that ("${title}"): ${cut(first)}`,
    };
  });
}

function page(name: string): string {
  return docPages().find((each) => each.name === name)?.text ?? "";
}

function split(texts: string | undefined): string[] {
  return texts?.split(" | ") ?? [];
}

/** Text without the marks of links and code. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replaceAll("`", "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Whole sentences, as many as fit. */
function cut(text: string): string {
  const sentences = text.match(/[^.]+(?:\.(?! |$)[^.]*)*\.?/g) ?? [];
  let told = "";
  for (const sentence of sentences)
    if (told.length + sentence.length <= LONGEST) told += sentence;
    else break;
  return told.trim();
}
