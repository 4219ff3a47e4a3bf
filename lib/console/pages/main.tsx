import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { OpenRollouts } from '../desk.ts';
import { Announcer } from './announcer.tsx';
import { FreshContext } from './fresh.ts';
import { HoldsBand, isQuiet } from './holds.tsx';
import { RehearsalPage } from './rehearsal.tsx';
import { RolloutPage } from './rollout.tsx';
import { RolloutsPage } from './rollouts.tsx';
import { type Route, useRoute } from './route.ts';
import { RuntimePage } from './runtime.tsx';
import { listen, type StreamNews, takeToken } from './server.ts';
import { OLD_MS, StaleBand, StaleContext } from './stale.tsx';

interface State {
  readonly look: OpenRollouts | null;
  /** When the look came, by the clock of the browser. */
  readonly cameAt: number;
  /** How often the console has begun to answer. */
  readonly comings: number;
  /** Why there is none now. `''`: the console says nothing. `null`: there is one. */
  readonly trouble: string | null;
}

function hear(last: State, heard: Exclude<StreamNews, { readonly isLost: true }>): State {
  if ('isSilent' in heard) return { ...last, trouble: last.trouble || '' };
  if ('trouble' in heard) return { ...last, trouble: heard.trouble };
  const comings = last.comings + (last.trouble === null ? 0 : 1);
  return { look: heard, cameAt: Date.now(), comings, trouble: null };
}

function useConsole() {
  const [state, setState] = useState<State>({ look: null, cameAt: 0, comings: 0, trouble: null });
  const [isLost, setLost] = useState(false);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    let listening = new AbortController();
    const start = () => {
      listening.abort();
      listening = new AbortController();
      setNow(Date.now());
      // Nobody looks at a page that is hidden, and each look costs something.
      if (document.hidden) return;
      void listen((heard) => {
        if ('isLost' in heard) return setLost(true);
        setState((last) => hear(last, heard));
      }, listening.signal);
    };
    start();
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    document.addEventListener('visibilitychange', start);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', start);
      listening.abort();
    };
  }, []);
  const { look, cameAt, trouble } = state;
  const isOld = look !== null && now - cameAt > OLD_MS;
  return { ...state, isLost, isStale: !isLost && (trouble !== null || isOld) };
}

function Console() {
  const route = useRoute();
  const { look, comings, trouble, isLost, isStale } = useConsole();
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
            <a href="/" aria-current={route.path === '/' ? 'page' : undefined}>
              Rollouts
            </a>
            <a href="/rehearsal" aria-current={route.path === '/rehearsal' ? 'page' : undefined}>
              Rehearsal
            </a>
          </nav>
          {look && <p class="place">{look.place}</p>}
        </header>
        <main id="main" tabIndex={-1} class={isStale ? 'stale' : ''}>
          {isStale && <StaleBand look={look} trouble={trouble || null} />}
          {isLost ? (
            <NoLink />
          ) : (
            <>
              {look && (
                <HoldsBand title="Holds" holds={look.holds.filter((hold) => !isQuiet(hold))} />
              )}
              <Page route={route} look={look} />
              {look && <HoldsBand title="Quarantine" holds={look.holds.filter(isQuiet)} />}
            </>
          )}
        </main>
        {look && <Voice route={route} look={look} />}
      </StaleContext.Provider>
    </FreshContext.Provider>
  );
}

/** The kind of page that an address names, and what it is about. */
function pageOf({ path }: Route): { readonly kind: string; readonly id: string } {
  const [, kind = path, id = ''] = /^\/(rollouts|runtimes)\/(.+)$/.exec(path) ?? [];
  return { kind, id: decodeURIComponent(id) };
}

function Page({ route, look }: { readonly route: Route; readonly look: OpenRollouts | null }) {
  const { kind, id } = pageOf(route);
  if (kind === 'rollouts') return <RolloutPage key={id} rolloutId={id} look={look} />;
  if (kind === 'runtimes') return <RuntimePage key={id} runtimeId={id} look={look} />;
  if (kind === '/rehearsal') return <RehearsalPage search={route.search} />;
  return <RolloutsPage search={route.search} look={look} />;
}

function Voice({ route, look }: { readonly route: Route; readonly look: OpenRollouts }) {
  const { kind, id } = pageOf(route);
  if (kind === '/') return <Announcer key="all" look={look} rollouts={null} />;
  const field = kind === 'rollouts' ? 'rolloutId' : 'runtimeId';
  return <Announcer key={id} look={look} rollouts={(one) => one[field] === id} />;
}

function NoLink() {
  return (
    <>
      <h1>This console needs its link</h1>
      <p>
        Open the link that <code>steproll console</code> has printed. It holds a token, and each
        start makes a new one. Then open this address again.
      </p>
    </>
  );
}

takeToken();
const place = document.getElementById('console');
if (place !== null) render(<Console />, place);
