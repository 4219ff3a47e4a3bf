import { inNode } from '../../jest.config.js';

/** Against an emulator of AWS: not among `npm test`, because it needs one that is installed. */
export default {
  ...inNode,
  reporters: ['default', '<rootDir>/test/support/jest/stuck.js'],
  rootDir: '../..',
  testMatch: ['<rootDir>/test/e2e/*.e2e.ts'],
};
