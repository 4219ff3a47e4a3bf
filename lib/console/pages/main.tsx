import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { OpenRollouts } from '../desk.ts';
import { Announcer } from './announcer.tsx';
import { FreshContext, longestBehind } from './fresh.ts';
import { HoldsBand, isQuiet } from './holds.tsx';
import { Later, part } from './later.tsx';
import { msSince } from './moment.ts';
import { RolloutsPage } from './rollouts.tsx';
import { type Route, useRoute } from './route.ts';
import { type ConsoleNews, follow, type Seen } from './server.ts';
import { OLD_MS, StaleBand, StaleContext } from './stale.tsx';

interface State {
  readonly seen: Seen | null;
  /** How often the console has begun to answer. */
  readonly comings: number;
  /** Why there is none now. `''`: the console says nothing. `null`: there is one. */
  readonly trouble: string | null;
}

type Lost = Extract<ConsoleNews, { readonly isLost: true }>;

function hear(last: State, { seen, trouble }: Exclude<ConsoleNews, Lost>): State {
  // What the console said when it spoke last says more than that it is silent.
  if (trouble !== null) return { ...last, trouble: trouble || last.trouble || '' };
  const comings = last.comings + (last.trouble === null ? 0 : 1);
  return { seen: seen ?? last.seen, comings, trouble: null };
}

function useConsole() {
  const [state, setState] = useState<State>({ seen: null, comings: 0, trouble: null });
  const [lost, setLost] = useState<Lost | null>(null);
  const [, setTick] = useState(0);
  useEffect(() => {
    let listening = new AbortController();
    const tick = () => setTick(Date.now());
    const start = () => {
      listening.abort();
      listening = new AbortController();
      tick();
      // Nobody looks at a page that is hidden, and each look costs something.
      if (document.hidden) return;
      void follow((heard) => {
        if ('isLost' in heard) return setLost(heard);
        setLost(null);
        setState((last) => hear(last, heard));
      }, listening.signal);
    };
    start();
    const timer = setInterval(tick, 1_000);
    document.addEventListener('visibilitychange', start);
    // Another tab of this browser has opened a new link, or somebody has put one into the address of this page.
    addEventListener('storage', start);
    addEventListener('hashchange', start);
    return () => {
      clearInterval(timer);
      removeEventListener('hashchange', start);
      removeEventListener('storage', start);
      document.removeEventListener('visibilitychange', start);
      listening.abort();
    };
  }, []);
  const { seen, trouble } = state;
  const behind = longestBehind();
  const isBehind = behind !== null && msSince(behind.since) > OLD_MS;
  const isOld = seen !== null && msSince(seen.began) > OLD_MS;
  const look = seen?.look ?? null;
  const asOf = isBehind && behind.asOf !== null ? behind.asOf : (look?.at ?? null);
  const isStale = lost === null && (trouble !== null || isOld || isBehind);
  return { ...state, look, asOf, lost, isStale };
}

const NAV = [
  ['/', 'Rollouts'],
  ['/coming', 'What will come'],
  ['/report', 'Report'],
  ['/rehearsal', 'Rehearsal'],
] as const;

function Console() {
  const route = useRoute();
  const { look, asOf, comings, trouble, lost, isStale } = useConsole();
  const fresh = useMemo(() => ({ look, comings }), [look, comings]);
  return (
    <FreshContext.Provider value={fresh}>
      <StaleContext.Provider value={isStale}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <nav aria-label="Pages">
            <a class="brand" href="/">
              steproll
            </a>
            {NAV.map(([path, name]) => (
              <a key={path} href={path} aria-current={route.path === path ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          {look && <p class="place">{look.place}</p>}
        </header>
        <main id="main" tabIndex={-1} class={isStale ? 'stale' : ''}>
          {isStale && <StaleBand asOf={asOf} trouble={trouble} />}
          {lost ? (
            <Later part={opened}>{({ NoLink }) => <NoLink why={lost.why} />}</Later>
          ) : (
            <>
              {look && (
                <HoldsBand
                  title="Holds"
                  holds={look.holds.filter((hold) => !isQuiet(hold))}
                  look={look}
                />
              )}
              <Page route={route} look={look} />
              {look && (
                <HoldsBand title="Quarantine" holds={look.holds.filter(isQuiet)} look={look} />
              )}
            </>
          )}
        </main>
        {look && <Voice route={route} look={look} />}
      </StaleContext.Provider>
    </FreshContext.Provider>
  );
}

const opened = part(() => import('./opened.tsx'));

/** The kind of page that an address names, and what it is about. */
function pageOf({ path }: Route): { readonly kind: string; readonly id: string } {
  const [, kind = path, id = ''] = /^\/(rollouts|runtimes)\/(.+)$/.exec(path) ?? [];
  return { kind, id: decodeURIComponent(id) };
}

function Page({ route, look }: { readonly route: Route; readonly look: OpenRollouts | null }) {
  const { kind, id } = pageOf(route);
  if (kind === '/') return <RolloutsPage search={route.search} look={look} />;
  return (
    <Later part={opened}>
      {({ OpenedPage }) => <OpenedPage {...{ kind, id, look }} search={route.search} />}
    </Later>
  );
}

function Voice({ route, look }: { readonly route: Route; readonly look: OpenRollouts }) {
  const { kind, id } = pageOf(route);
  if (kind === '/') return <Announcer key="all" look={look} rollouts={null} />;
  const field = kind === 'rollouts' ? 'rolloutId' : 'runtimeId';
  return <Announcer key={id} look={look} rollouts={(one) => one[field] === id} />;
}

const place = document.getElementById('console');
if (place !== null) render(<Console />, place);
