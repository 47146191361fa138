import type { View, Visit } from "./visit.ts";

/** A page of the console (GET) or an act of it (POST), at a path below its address. */
export interface ConsoleRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly view: (visit: Visit) => Promise<View>;
}

/** A page: it only reads. */
export function shows(path: string, view: ConsoleRoute["view"]): ConsoleRoute {
  return { method: "GET", path, view };
}

/** An act: it came by a form of the visitor's own session. */
export function does(path: string, view: ConsoleRoute["view"]): ConsoleRoute {
  return { method: "POST", path, view };
}
