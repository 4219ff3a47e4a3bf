export { removeFolder as default } from './own-folder.js';
