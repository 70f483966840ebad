'use client';
import { useEffect } from 'react';
import { verdict } from '../../program.mjs';

export default function Page() {
  useEffect(() => {
    verdict().then((verdict) => { document.title = verdict; }, (error) => { document.title = `failed ${error}`; });
  });
  return <p>client</p>;
}
