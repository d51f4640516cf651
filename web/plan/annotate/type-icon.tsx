import { CircleAlert, MessageSquare, Plus, Replace, Strikethrough, Tag } from "lucide-react";
import type { AnnotationType } from "../model/annotations.ts";

const ICONS = {
  comment: MessageSquare,
  general: MessageSquare,
  replace: Replace,
  delete: Strikethrough,
  insert: Plus,
  concern: CircleAlert,
  label: Tag,
} as const satisfies Record<AnnotationType, unknown>;

/**
 * Renders the icon of an annotation type, hidden from screen readers, because the element around it has the type's name
 * as its text or title.
 */
export function TypeIcon({ type, size = 15 }: { readonly type: AnnotationType; readonly size?: number }) {
  const Icon = ICONS[type];
  return <Icon size={size} aria-hidden />;
}
