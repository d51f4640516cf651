/**
 * Updates the children of `container` to match the markup and keeps unchanged nodes, so that focus, selection
 * and scroll positions survive. Matches elements by `data-key`, and nodes without a key by position. The server
 * renders the same markup for the first paint, so the current calls are updated by this function, not by React.
 */
export function patch(container: Element, markup: string): void {
  const template = document.createElement("template");
  template.innerHTML = markup;
  patchChildren(container, template.content);
}

function patchChildren(old: Node, wanted: Node): void {
  const keyed = new Map<string, Node>();
  for (const child of old.childNodes) {
    const key = getKey(child);
    if (key !== undefined) keyed.set(key, child);
  }
  let next = old.firstChild;
  for (const node of [...wanted.childNodes]) {
    const key = getKey(node);
    const match = key === undefined ? next : keyed.get(key);
    if (match && isAlike(match, node)) {
      if (match === next) next = next.nextSibling;
      else old.insertBefore(match, next);
      patchNode(match, node);
    } else old.insertBefore(node, next);
  }
  while (next) {
    const { nextSibling } = next;
    next.remove();
    next = nextSibling as ChildNode | null;
  }
}

function patchNode(old: Node, wanted: Node): void {
  if (old instanceof Element && wanted instanceof Element) {
    patchAttributes(old, wanted);
    patchChildren(old, wanted);
  } else if (old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
}

function patchAttributes(old: Element, wanted: Element): void {
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

/** Returns whether one node can be updated to match the other: same node name and same key. */
function isAlike(one: Node, other: Node): boolean {
  return one.nodeName === other.nodeName && getKey(one) === getKey(other);
}

function getKey(node: Node): string | undefined {
  return node instanceof HTMLElement ? node.dataset["key"] : undefined;
}
