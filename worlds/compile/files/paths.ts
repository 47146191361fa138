import { member } from "../conditions/term.ts";
import { COUNTERS } from "../programs/expressions/names.ts";

export const argument = (name: string): string => member("args", name);
/** The table of what stands at which path, and the one of where a session is. */
export const ENTRIES = "entries";
export const STATE = "cwd";
const HERE = `lookup("${STATE}", "session")`;
export const CWD = `${HERE}.path`;
/** The number of the next entry that is made. */
export const NEXT = `lookup("${COUNTERS}", "${ENTRIES}").next`;
/** The path from the root of the system to where sessions start. */
export const HOME = `${HERE}.home`;
/** The name of the folder that sessions start in. */
export const NAME = `${HERE}.name`;

/** The path that an argument names, from where sessions start; `fromRoot` where some are given from the root of the system. */
export function pathText(
  arg: string,
  { optional, fromRoot }: { readonly optional: boolean; readonly fromRoot: boolean },
): string {
  const near = `(${arg}.startsWith("../..") || (${CWD} == "/" && ${arg}.startsWith("..")) ? unknown() : resolve(${CWD}, ${arg}))`;
  const far = `(${HOME} == "/" ? resolve("/", ${arg}) : ${arg} == ${HOME} ? "/" : ${arg}.startsWith(${HOME} + "/") ? resolve("/", "./" + ${arg}.substring(size(${HOME}))) : unknown())`;
  const path = fromRoot ? `(${arg}.startsWith("/") ? ${far} : ${near})` : near;
  return optional ? `(${arg} == null ? ${CWD} : ${path})` : path;
}

export const rowText = (path: string): string => `lookup("${ENTRIES}", ${path})`;

/** Whether the folder that a path would be in is known to hold no other entries than its rows. */
export function listedText(path: string): string {
  const parent = rowText(`resolve(${path}, "..")`);
  return `(${parent}.whole == true && (${parent}.dots == true || !${path}.split("/").last().startsWith(".")))`;
}

/** Whether something stands at a path: told by its row, else by the folder that it would be in. */
export function thereText(path: string): string {
  const parent = rowText(`resolve(${path}, "..")`);
  const gone = `(${parent} == null ? unknown() : ${parent}.there == false || ${parent}.folder == false || ${listedText(path)} ? false : unknown())`;
  return `(${path} == "/" ? true : ${rowText(path)} == null ? ${gone} : ${rowText(path)}.there)`;
}
