/** A path resolved against a base, with `.` and `..`; from the root where it begins with `/`, never above the root. */
export function resolvePath(base: string, other: string): string {
  const whole = other.startsWith("/") ? other : `${base}/${other}`;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${whole.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}
