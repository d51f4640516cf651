/** Renders the logo: an arched door in a wall, slightly open. */
export function Logo({ size = 22 }: { readonly size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path d="M4 22V9.5a8 8 0 0 1 16 0V22" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
      <path d="M8 22V10a4 4 0 0 1 6.2-3.3L14 22l-6 0Z" fill="currentColor" />
      <path d="M2 22h20" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
    </svg>
  );
}
