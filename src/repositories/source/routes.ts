import type { SourceRoute } from "../../../chapters/repositories.ts";
import { environmentRead } from "./addresses.ts";
import type { Project } from "./project.ts";
import { Reader } from "./reader.ts";
import { isTest } from "./tools.ts";
import { expressions, functions } from "./tree.ts";

/** Every environment variable that the sources read, by name. */
export function environmentOf(project: Project): string[] {
  const names = new Set<string>();
  for (const source of project.sources)
    for (const expr of expressions(source.body)) {
      const name = environmentRead(expr);
      if (name !== undefined && /^\w{1,100}$/.test(name)) names.add(name);
    }
  return [...names].sort();
}

/** Every route that the sources request, with the answer fields they read, and a count of requests with unknown routes. */
export function routesOf(project: Project): { readonly routes: SourceRoute[]; readonly unread_asks: number } {
  const reader = new Reader(project);
  for (const source of project.sources) {
    if (isTest(source.file)) continue;
    reader.run(source, "module", source.body, 1);
    for (const { fn } of functions(source.body)) reader.enter(source, fn);
  }
  return { routes: reader.routes(), unread_asks: reader.unread() };
}
