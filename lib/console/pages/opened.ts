// The pages that are loaded when somebody opens one of them. They have much in common.
export { RehearsalPage } from './rehearsal.tsx';
export { RolloutPage } from './rollout.tsx';
export { RuntimePage } from './runtime.tsx';
