/** A value without what spellings of one thing differ in: case, marks and plural. */
export function plainSpelling(value: string): string {
  return value
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.replace(/([^s])s$/, "$1"))
    .join(" ");
}
