/** Gives headings their ids: as GitHub does, each once. */
export function slugger(): (text: string) => string {
  const used = new Set<string>();
  return (text) => {
    const base =
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s+/g, "-") || "section";
    let id = base;
    for (let number = 1; used.has(id); number += 1) id = `${base}-${number}`;
    used.add(id);
    return id;
  };
}
