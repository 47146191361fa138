import { DOCUMENT_QUESTIONS } from "../../tools/questions/documents.ts";
import { docPages } from "./docs.ts";
import { type Passage, passages, plain, sentencesFor, weightOf } from "./passages.ts";

/** What a page of the documentation tells by itself, and the questions that it answers. */
export interface Documented {
  readonly name: string;
  readonly kind: "page";
  readonly texts: readonly string[];
  readonly description?: { readonly title: string };
  readonly fits?: (question: string) => number;
  /** The sentences that tell what a question asks. */
  readonly tell: (question: string) => string;
}

/** The questions of the limits, and the pages and sections that questions lead to. */
export function documented(): Documented[] {
  return [...answers(), ...pages()];
}

/** The questions that docs/limits.md answers, each with its answer. */
function answers(): Documented[] {
  const rows = docPages()
    .find(({ name }) => name === "limits")
    ?.text.matchAll(/^\*\*([^*]+\?)\*\* ([\s\S]+?)\n(?:\n|$)/gm);
  return [...(rows ?? [])].map(([, question = "", answer = ""]) => {
    const texts = [question, ...split(DOCUMENT_QUESTIONS[question])];
    return { name: question, kind: "page" as const, texts, tell: () => `${plain(answer)} (docs/limits.md)` };
  });
}

/** The pages, and the sections of them that are asked for by themselves. */
function pages(): Documented[] {
  return docPages().flatMap(({ name, title }) => {
    const sections = new Set(passages().flatMap(({ page, heading }) => (page === name ? [heading] : [])));
    return ["", ...sections].flatMap((heading) => {
      const key = heading === "" ? name : `${name}#${heading}`;
      const texts = split(DOCUMENT_QUESTIONS[key]);
      if (texts.length === 0) return [];
      const among = (of: Passage) => of.page === name && (heading === "" || of.heading === heading);
      const fits = (question: string) => weightOf(question, among);
      const tell = (question: string) => sentencesFor(question, among) ?? "";
      return [{ name: key, kind: "page" as const, texts, description: { title: heading || title }, fits, tell }];
    });
  });
}

function split(texts: string | undefined): string[] {
  return texts?.split(" | ") ?? [];
}
