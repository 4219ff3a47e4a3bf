import { expect, test } from '@jest/globals';
import { parseSource } from '../support/source-files.ts';
import { layerGraph } from './layer-graph.ts';

test('layers are folders, and an arrow that follows from others is left out', () => {
  const files = [
    parseSource('lib/domain/plan/a.ts', "import { b } from '../b.ts';"),
    parseSource('lib/ports/c.ts', "import { b } from '../domain/b.ts';"),
    parseSource('lib/steps/d.ts', "import '../ports/c.ts';\nimport '../domain/b.ts';"),
    parseSource('functions/e.ts', "import '../lib/steps/d.ts';\nimport 'undici';"),
    parseSource('lib/index.ts', "export { d } from './steps/d.ts';"),
  ];
  expect(layerGraph(files).split('\n')).toEqual([
    '```mermaid',
    'graph TD',
    '  functions["functions"]',
    '  lib_domain["lib/domain"]',
    '  lib_ports["lib/ports"]',
    '  lib_steps["lib/steps"]',
    '  functions --> lib_steps',
    '  lib_ports --> lib_domain',
    '  lib_steps --> lib_ports',
    '```',
  ]);
});
