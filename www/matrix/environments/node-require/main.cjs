require('./program.cjs').verdict().then((verdict) => console.log(verdict));
