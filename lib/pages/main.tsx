import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { plainText } from '../cli/terminal/text.ts';
import type { Look } from '../console/desk.ts';
import { RehearsalPage } from './rehearsal.tsx';
import { RolloutPage } from './rollout.tsx';
import { RolloutsPage } from './rollouts.tsx';
import { type Route, useRoute } from './route.ts';
import { RuntimePage } from './runtime.tsx';
import { listen, takeToken } from './server.ts';

type State = { readonly look: Look | null; readonly trouble: string | null };

function Console() {
  const route = useRoute();
  const [{ look, trouble }, setState] = useState<State>({ look: null, trouble: null });
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let listening = new AbortController();
    const start = () => {
      listening.abort();
      listening = new AbortController();
      // Nobody looks at a page that is hidden, and each look costs something.
      if (document.hidden) return;
      void listen((news) => {
        if ('isLost' in news) setLost(true);
        else if ('trouble' in news) setState(({ look }) => ({ look, trouble: news.trouble }));
        else setState({ look: news, trouble: null });
      }, listening.signal);
    };
    start();
    document.addEventListener('visibilitychange', start);
    return () => {
      document.removeEventListener('visibilitychange', start);
      listening.abort();
    };
  }, []);
  return (
    <>
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
      <main id="main" tabIndex={-1}>
        {trouble !== null && !isLost && (
          <p class="trouble" role="alert">
            {trouble}
          </p>
        )}
        {isLost ? <NoLink /> : <Page route={route} look={look} />}
      </main>
      {look && <Announcer look={look} />}
    </>
  );
}

function Page({ route, look }: { readonly route: Route; readonly look: Look | null }) {
  const [, folder, id] = /^\/(rollouts|runtimes)\/(.+)$/.exec(route.path) ?? [];
  if (folder === 'rollouts' && id !== undefined) {
    return <RolloutPage key={id} rolloutId={decodeURIComponent(id)} look={look} />;
  }
  if (folder === 'runtimes' && id !== undefined) {
    return <RuntimePage key={id} runtimeId={decodeURIComponent(id)} look={look} />;
  }
  if (route.path === '/rehearsal') return <RehearsalPage search={route.search} />;
  return <RolloutsPage search={route.search} look={look} />;
}

function NoLink() {
  return (
    <>
      <h1>This console needs its link</h1>
      <p>
        Open the link that <code>steproll console</code> has printed. It holds a token, and each
        start makes a new one.
      </p>
    </>
  );
}

interface Heard {
  readonly name: string;
  readonly said: string;
}

/** Says to a screen reader what has happened, once. Countdowns are no news. */
function Announcer({ look }: { readonly look: Look }) {
  const known = useRef<ReadonlyMap<string, Heard> | null>(null);
  const [text, setText] = useState('');
  const latest = new Map(
    look.rollouts.map(({ rolloutId, runtimeId, news, waiting }) => [
      rolloutId,
      {
        name: plainText(runtimeId),
        said: news[0]?.text ?? waiting?.message ?? 'a rollout is accepted.',
      },
    ]),
  );
  useEffect(() => {
    const before = known.current;
    known.current = latest;
    if (before === null) return;
    const ends = [...before]
      .filter(([id]) => !latest.has(id))
      .map(([, { name }]) => `${name}: a rollout has ended.`);
    const news = [...latest]
      .filter(([id, { said }]) => before.get(id)?.said !== said)
      .map(([, { name, said }]) => `${name}: ${said}`);
    if (news.length + ends.length > 0) setText([...ends, ...news].join(' '));
  }, [look]);
  return (
    <p class="heard" role="status">
      {text}
    </p>
  );
}

takeToken();
const place = document.getElementById('console');
if (place !== null) render(<Console />, place);
