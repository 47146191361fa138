/** The path that another one leads to from a base: from the root where it begins with `/`, with `.` and `..` followed. There is nothing above the root. */
export function resolvePath(base: string, other: string): string {
  const whole = other.startsWith("/") ? other : `${base}/${other}`;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${whole.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}
