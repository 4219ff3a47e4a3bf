import { useEffect, useState } from 'preact/hooks';

/** The page that the address names. */
export interface Route {
  readonly path: string;
  readonly search: string;
}

const CHANGED = 'steproll-route';

/** Goes to another page without leaving the document. */
export function goTo(address: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  dispatchEvent(new Event(CHANGED));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(here);
  useEffect(() => {
    const update = () => setRoute(here());
    const follow = (event: MouseEvent) => followLink(event);
    addEventListener('popstate', update);
    addEventListener(CHANGED, update);
    document.addEventListener('click', follow);
    return () => {
      removeEventListener('popstate', update);
      removeEventListener(CHANGED, update);
      document.removeEventListener('click', follow);
    };
  }, []);
  return route;
}

function here(): Route {
  return { path: location.pathname, search: location.search };
}

/** A plain click on a link of these pages. Every other click is the browser's own. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (link === null || !isPlain || event.button !== 0 || event.defaultPrevented) return;
  if (link.origin !== location.origin || link.hash !== '') return;
  event.preventDefault();
  goTo(link.pathname + link.search);
}

export function rolloutPath(rolloutId: string): string {
  return `/rollouts/${encodeURIComponent(rolloutId)}`;
}

export function runtimePath(runtimeId: string): string {
  return `/runtimes/${encodeURIComponent(runtimeId)}`;
}
