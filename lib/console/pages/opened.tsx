import type { OpenRollouts } from '../desk.ts';
import { ComingPage } from './coming.tsx';
import { ComparePage } from './compare.tsx';
import { RehearsalPage } from './rehearsal.tsx';
import { ReportPage } from './report.tsx';
import { RolloutPage } from './rollout.tsx';
import { RuntimePage } from './runtime.tsx';
import { Title } from './title.tsx';

export { NoLink } from './no-link.tsx';

interface OpenedProps {
  readonly kind: string;
  readonly id: string;
  readonly search: string;
  readonly look: OpenRollouts | null;
}

/** The pages that are loaded when somebody opens one of them. They have much in common. */
export function OpenedPage({ kind, id, search, look }: OpenedProps) {
  switch (kind) {
    case 'rollouts':
      return <RolloutPage key={id} rolloutId={id} look={look} />;
    case 'runtimes':
      return <RuntimePage key={id} runtimeId={id} look={look} />;
    case '/report':
      return <ReportPage search={search} look={look} />;
    case '/coming':
      return <ComingPage look={look} />;
    case '/compare':
      return <ComparePage search={search} look={look} />;
    case '/rehearsal':
      return <RehearsalPage search={search} />;
    default:
      return <Title text="There is no such page" />;
  }
}
