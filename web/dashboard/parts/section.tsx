import type { ReactNode } from "react";

interface SectionProps {
  /** Unique on the page; the heading's id is `ID-heading`. */
  readonly id: string;
  readonly heading: string;
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Renders a part of a view, named by its heading. */
export function Section({ id, heading, badge, actions, children }: SectionProps) {
  return (
    <section aria-labelledby={`${id}-heading`}>
      <div className="section-head">
        <h2 id={`${id}-heading`} tabIndex={-1}>
          {heading}
        </h2>
        {badge !== undefined && <span className="badge">{badge}</span>}
        {actions !== undefined && <div className="section-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
