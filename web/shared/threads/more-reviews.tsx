import { Menu } from "../components/menu.tsx";
import { repositoryName } from "../repository-name.ts";
import { timeAgo } from "../time-ago.ts";
import { useThreads } from "./thread-store.ts";

/** Shows how many other reviews are open on this machine, with links. */
export function MoreReviews() {
  const reviews = useThreads((state) => state.reviews);
  if (reviews.length === 0) return null;
  return (
    <Menu
      label={`${reviews.length} more waiting`}
      triggerClass="button button-quiet more-reviews"
      trigger={
        <>
          <span className="badge">{reviews.length}</span>{" "}
          <span className="more-reviews-text">more waiting</span>
        </>
      }
    >
      {reviews.map(({ id, url, title, repository, agent, since }) => (
        <a
          key={id}
          role="menuitem"
          tabIndex={-1}
          className="menu-item more-review"
          href={localUrl(url)}
          target="_blank"
          rel="noreferrer"
        >
          <span>{title || repository || "Review"}</span>
          <small>{[repositoryName(repository), agent, timeAgo(since)].filter(Boolean).join(" · ")}</small>
        </a>
      ))}
    </Menu>
  );
}

/** Returns an HTTP or HTTPS URL unchanged; undefined for any other URL, to which a page must not link. */
function localUrl(url: string): string | undefined {
  return /^https?:\/\//i.test(url) ? url : undefined;
}
