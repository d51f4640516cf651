/**
 * Escapes text for an XML element, with everything beyond ASCII as character references: schtasks reads files in the
 * code page of the system.
 */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\n]|[^\u0000-\u007f]/gu, (character) => `&#${character.codePointAt(0)};`);
}
