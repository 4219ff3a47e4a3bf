import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** The page that the address names. */
export interface Route {
  readonly path: string;
  readonly search: string;
}

const CHANGED = 'steproll-route';

/** Goes to another page without leaving the document. */
export function goTo(address: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'replace') history.replaceState(null, '', address);
  else {
    // Who comes back finds the place where they were.
    history.replaceState({ top: scrollY }, '');
    history.pushState(null, '', address);
  }
  dispatchEvent(new CustomEvent(CHANGED, { detail: how }));
}

export function useRoute(): Route {
  const [{ route, top }, setShown] = useState({ route: here(), top: null as number | null });
  useEffect(() => {
    history.scrollRestoration = 'manual';
    // To a part of a page the browser goes by itself.
    const comeBack = ({ state }: PopStateEvent) =>
      setShown({ route: here(), top: state?.top ?? (location.hash === '' ? 0 : null) });
    const change = (event: Event) =>
      setShown({ route: here(), top: (event as CustomEvent).detail === 'push' ? 0 : null });
    const follow = (event: MouseEvent) => followLink(event);
    const leave = () => history.replaceState({ top: scrollY }, '');
    addEventListener('popstate', comeBack);
    addEventListener(CHANGED, change);
    addEventListener('pagehide', leave);
    document.addEventListener('click', follow);
    return () => {
      removeEventListener('popstate', comeBack);
      removeEventListener(CHANGED, change);
      removeEventListener('pagehide', leave);
      document.removeEventListener('click', follow);
    };
  }, []);
  useLayoutEffect(() => (top === null ? undefined : scrollBackTo(top)), [route, top]);
  return route;
}

/** Goes to a place of a page, also if the page gets long enough only later, unless somebody scrolls it meanwhile. */
function scrollBackTo(top: number): () => void {
  const go = () => scrollTo(0, top);
  const grows = new ResizeObserver(go);
  const stop = () => grows.disconnect();
  go();
  if (Math.abs(scrollY - top) >= 1) grows.observe(document.body);
  for (const act of ['wheel', 'keydown', 'pointerdown']) {
    addEventListener(act, stop, { once: true, passive: true });
  }
  return stop;
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
