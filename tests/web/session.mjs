// Runs every test and says which failed.

import { assert, openPage, startBrowser, visitDomains } from "./harness.mjs";
import { accessTests } from "./access.mjs";
import { confidenceTests, domainConfidenceTests } from "./confidence.mjs";
import { componentTests } from "./components.mjs";
import { pageTests } from "./pages.mjs";
import { domainSafetyTests, safetyTests } from "./safety.mjs";
import { searchTests } from "./search.mjs";
import { setTests } from "./sets.mjs";
import { trendTests } from "./trends.mjs";
import { feedbackTests } from "./feedback.mjs";
import { againTests } from "./again.mjs";
import { savedTests } from "./saved.mjs";
import { failureTests } from "./failures.mjs";
import { returningTests } from "./returning.mjs";
import { domainAccessTests } from "./domain_access.mjs";
import { domainAnswerTests } from "./domain_answers.mjs";
import { domainTests } from "./domains.mjs";
import { drawDomainPictures, drawPictures } from "./pictures.mjs";

const browser = await startBrowser();
const wanted = process.argv[2] || "";
const chosen = (...groups) => Object.entries(Object.assign({}, ...groups)).filter(([name]) => name.includes(wanted));
const tests = chosen(searchTests, failureTests, returningTests, pageTests, accessTests, componentTests, confidenceTests, setTests, trendTests, feedbackTests, againTests, savedTests, safetyTests);
const overDomains = chosen(domainTests, domainAnswerTests, domainConfidenceTests, domainAccessTests, domainSafetyTests);
let failures = 0;
if (process.env.SCREENSHOTS) await drawPictures(browser, process.env.SCREENSHOTS);
else for (const [name, test] of tests) failures += await run(name, test);
visitDomains();
if (process.env.SCREENSHOTS) await drawDomainPictures(browser, process.env.SCREENSHOTS);
else for (const [name, test] of overDomains) failures += await run(name, test);
await browser.close();
tests.push(...overDomains);
if (!process.env.SCREENSHOTS) {
  console.log(`${tests.length - failures} of ${tests.length} tests passed`);
  process.exitCode = failures || !tests.length ? 1 : 0;
}

async function run(name, test) {
  const options = test.options || {};
  const { page, seen, context } = await openPage(browser, options);
  try {
    await (test.run || test)({ page, seen });
    assert.deepEqual(seen.foreign, [], "requests to other origins");
    assert.deepEqual(seen.errors.filter((error) => !(test.expects || []).some((part) => error.includes(part))), [], "errors of the page");
    return 0;
  } catch (error) {
    console.log(`FAILED ${name}\n${error.stack}\n`);
    return 1;
  } finally {
    await context.close();
  }
}
