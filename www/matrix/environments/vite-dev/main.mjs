import { verdict } from './program.mjs';

verdict().then((verdict) => { document.title = verdict; }, (error) => { document.title = `failed ${error}`; });
