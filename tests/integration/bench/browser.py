"""report.html as people get it: in a real browser, wide and narrow, light and dark, with scripts and without."""

import json
import os
import re
import xml.etree.ElementTree as ET

import chrome
import pages
import running

SHAPES = [(1280, False, True), (1280, True, False), (360, False, False), (360, True, True)]
USUAL_BYTES = 200 * 1024
LARGE_BYTES = 600 * 1024
PLOTS = ["plot-pass", "plot-tiers", "plot-latency", "plot-cost"]
ALLOWED = set("""html head meta title style body main header section aside figure figcaption h1 h2 h3 p a b bdi small code em
    abbr span br ul ol li dl dt dd div details summary blockquote table thead tbody tr th td svg g defs use line rect
    circle path text desc""".split())

# Everything that only a browser knows, in one question.
LOOK = r"""(() => {
  const box = e => e.getBoundingClientRect(), all = (s, e = document) => [...e.querySelectorAll(s)], bad = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) bad.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const f of all('figure.plot')) {
    if (!(box(f).width > 100 && box(f).height > 40)) bad.push(`${f.id} has no size`);
    const tracks = all('svg.track, svg.field', f);
    if (!tracks.length) bad.push(`${f.id} has no track`);
    for (const svg of tracks) {
      const b = box(svg);
      if (!(b.width > 100 && b.height > 10)) bad.push(`a track of ${f.id} has no size`);
      if (b.left < 0 || b.right > width) bad.push(`a track of ${f.id} leaves the page`);
      for (const m of all('line, circle, rect, path', svg)) {
        if (m.closest('defs')) continue;
        const r = box(m), reach = m.tagName === 'circle' ? 6 : 1.5;
        if (r.left < b.left - reach || r.right > b.right + reach || r.top < b.top - 2 || r.bottom > b.bottom + 2)
          bad.push(`${m.outerHTML.slice(0, 90)} is outside of its plot ${f.id}`);
      }
      for (const t of all('text', svg))
        if (box(t).left < 0 || box(t).right > width) bad.push(`the text ${t.textContent} of ${f.id} leaves the page`);
    }
    const texts = tracks.map(s => all('text', s)).flat().map(t => [t, box(t)]);
    texts.forEach(([t, a], i) => texts.slice(i + 1).forEach(([u, b]) => {
      if (t.closest('.axis') && u.closest('.axis') && a.left < b.right && b.left < a.right && a.top < b.bottom - 3 &&
          b.top < a.bottom - 3) bad.push(`${t.textContent} and ${u.textContent} lie on each other in ${f.id}`);
    }));
    for (const row of all('.row', f)) {
      const [n, v] = ['.name', '.value'].map(s => box(row.querySelector(s)));
      if (n.width && v.width && n.left < v.right && v.left < n.right && n.top < v.bottom && v.top < n.bottom)
        bad.push(`name and value lie on each other: ${row.textContent.slice(0, 60)}`);
    }
  }
  for (const e of all('main p, main h1, main h2, figcaption, .cards, .warnings, summary'))
    if (box(e).right > width + 1) bad.push(`${e.tagName} leaves the page: ${e.textContent.slice(0, 40)}`);

  const pass = all('table thead th').find(t => t.textContent.startsWith('pass'));
  const cell = pass && pass.closest('table').querySelector('tbody tr td');
  if (pass && !(cell && [pass, cell].every(e => box(e).right <= Math.min(width, box(pass.closest('.scroll')).right))))
    bad.push('the pass rate is out of sight');

  const light = c => { const v = c.match(/[\d.]+/g).map(Number), [r, g, b] = v.slice(0, 3).map(x =>
      (x /= 255) <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
      if (!/, 0\)$/.test(c) && c !== 'transparent') return c; } return 'rgb(255,255,255)'; };
  let pale = 0;
  for (const e of all('body *')) {
    if (e.closest('svg, style') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const a = light(getComputedStyle(e).color), b = light(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5 && pale++ < 3) bad.push(`${ratio.toFixed(2)} : 1 is pale: ${e.className} ${e.textContent.slice(0, 40)}`);
  }
  return {bad, plots: all('figure.plot').map(f => f.id), text: document.body.innerText, pwned: String(window.pwned),
    tags: [...new Set(all('*').map(e => e.tagName.toLowerCase()))],
    handlers: all('*').filter(e => [...e.attributes].some(a => /^on|^(src|srcdoc|action|formaction|xlink:href)$/.test(a.name)))
      .map(e => e.outerHTML.slice(0, 90)),
    links: all('[href]').map(e => e.getAttribute('href')).filter(h => !h.startsWith('#')),
    paper: getComputedStyle(document.body).backgroundColor};
})()"""


def make(suite):
    """name -> (path, text) of every page, as the program makes them."""
    made = {}
    for name, write in pages.ALL.items():
        place = write(os.path.join(suite.directory("run"), name), suite.random(name))
        answer = suite.drive([{"report": place}])[0]
        if "page" not in answer:
            raise chrome.Gone(f"no page of {name}: {answer}")
        made[name] = (suite.write(place, "report.html", answer["page"]), answer["page"])
    made["real"] = real(suite)
    return made


def real(suite):
    """(path, text) of the page that a run of the program leaves."""
    where = suite.directory("real")
    status, _, told = running.bench(suite, where, [
        "run", "builtin:sanity", "builtin:tools", "--target", "mock:good", "--target", "mock:lazy", "--repeat", "2",
        "--concurrency", "4", "--mock-script", os.path.abspath("doc/examples/bench-mock.json"), "--run-id", "real"])
    path = os.path.join(where, "runs", "real", "report.html")
    if status or not os.path.exists(path):
        raise chrome.Gone(f"the run ended with {status}: {told[-400:]}")
    with open(path, encoding="utf-8") as f:
        return path, f.read()


def is_labelled(svg):
    return svg.get("aria-hidden") == "true" or (svg.get("role") == "img" and len(svg) and svg[0].tag == "title" and
                                                "".join(svg[0].itertext()).strip())


def markup(suite, made):
    """What can be said without a browser."""
    bad = []
    for name, (_, text) in made.items():
        try:
            root = ET.fromstring(text)
        except ET.ParseError as e:
            bad.append((name, f"not well-formed: {e}"))
            continue
        hidden = {s for e in root.iter() if e.get("aria-hidden") == "true" for s in e.iter("svg")}
        inner = {s for e in root.iter("svg") for s in e.iter("svg") if s is not e}
        bad += [(name, "a <th> has no scope") for th in root.iter("th") if th.get("scope") not in ("col", "row")]
        bad += [(name, f"an <svg> says nothing: {svg.get('class')}") for svg in root.iter("svg")
                if svg not in hidden and svg not in inner and not is_labelled(svg)]
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        bad += [(name, f"id {i} is there twice") for i in set(ids) if ids.count(i) > 1]
        bad += [(name, f"{e.get('href')} leads nowhere") for e in root.iter() if (e.get("href") or "#").lstrip("#") not in ids
                and e.get("href")]
        bad += [(name, f"<{t}> is not ours") for t in {e.tag for e in root.iter()} - ALLOWED]
        if re.search(r"[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00-\x08\x0b-\x1f\x7f]", text):
            bad.append((name, "a character that is not seen"))
        told = [v for e in root.iter() for k, v in e.attrib.items() if k != "title"] + [e.text for e in root.iter("style")]
        bad += [(name, f"something from outside: {t[:60]}") for t in told if re.search(r"https?:|url\(|@import|//", t)]
        limit = LARGE_BYTES if name.startswith("many") or name == "hostile" else USUAL_BYTES
        if len(text.encode()) > limit:
            bad.append((name, f"{len(text.encode())} bytes are more than {limit}"))
    suite.check("pages are well-formed, labelled, of our own elements only and not too large", bad, len(made))
    texts = [
        ("many_targets", "and 160 more targets"), ("many_prompts", "and 900 more prompts"), ("empty", "no rows yet"),
        ("all_failed", "20 of 20 calls failed"), ("hostile", "2 lines of results.jsonl were no rows"),
        ("usual", "n too small to separate tiers"), ("usual", "not settled"), ("one", "cost is not known"),
        ("usual", "sanity.json"), ("usual", "by Wilson"), ("usual", "estimated"), ("hostile", "evil[U+202E]gpj.exe"),
        ("hostile", "itself was the bottleneck"), ("real", "<bdi>mock:good</bdi></b> has the highest pass rate"),
    ]
    suite.check("pages say what they must", [(n, f"does not say: {t}") for n, t in texts if t not in made[n][1]], len(texts))


def heard(page, address):
    """What a quiet page does not do."""
    for method, p in page.heard():
        if method == "Network.requestWillBeSent" and p["request"]["url"] != address:
            yield f"asked for {p['request']['url']}"
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
            yield f"{method}: {json.dumps(p)[:200]}"
        elif method == "Log.entryAdded":
            yield f"console: {p['entry']['text']}"


def look(page, name, shape, address):
    """What was wrong."""
    seen = page.ask(LOOK)
    wrong = list(heard(page, address)) + seen["bad"]
    wrong += [f"<{t}> was put in" for t in set(seen["tags"]) - ALLOWED]
    wrong += [f"it has a handler: {h}" for h in seen["handlers"]] + [f"a link: {h}" for h in seen["links"]]
    if seen["pwned"] != "undefined":
        wrong.append("a script of a name was run")
    dark = sum(map(int, re.findall(r"\d+", seen["paper"])[:3])) < 200
    if dark != shape[1]:
        wrong.append(f"the paper is {seen['paper']}")
    if name == "usual" and seen["plots"] != PLOTS:
        wrong.append(f"plots: {seen['plots']}")
    if name == "hostile":
        wrong += [f"is not shown as text: {h}" for h in pages.HOSTILE[:4] if h not in seen["text"]]
    return wrong


# What was done to a good page, and what must be said of it then: a look that finds nothing proves nothing else.
SPOILED = [
    ("<h2 id=", "<h2 style='width: 2000px' id=", "the page is"),
    ("<main>", "<main><script>window.pwned=1</script>", "<script> was put in"),
    ("<main>", "<main><img src='http://127.0.0.1:9/x.png' alt=''/>", "asked for"),
    ("<circle class='dot' cx='", "<circle class='dot' cx='9", "outside of its plot"),
    (".track, .field { display: block;", ".track, .field { display: none;", "has no size"),
    ("<th scope='col'>pass<", "<th scope='col' style='padding-left: 1300px'>pass<", "the pass rate is out of sight"),
    ("--dim: #5b636d", "--dim: #b0b0b0", "is pale"),
    ("minmax(9em, 15em) minmax(0, 1fr) 17em", "60em 0 20em", "lie on each other"),
]


def spoil(suite, browser, text):
    place, bad = suite.directory("spoiled"), []
    for i, (old, new, want) in enumerate(SPOILED):
        path = suite.write(place, f"{i}.html", text.replace(old, new))
        with chrome.Page(browser, "file://" + path) as page:
            wrong = look(page, "usual", (1280, False, True), "file://" + path)
        if not any(want in w for w in wrong):
            bad.append((new, f"was not found: {wrong}"))
    suite.check("what is wrong with a page is found", bad, len(SPOILED))


def run(suite):
    made = make(suite)
    markup(suite, made)
    program = chrome.find()
    if not program:
        suite.skip("pages in a browser", "no Chromium here; tools/setup integration installs it")
        return
    shots = os.environ.get("SHOTS") or suite.directory("shots")
    os.makedirs(shots, exist_ok=True)
    bad, printed, count = [], [], 0
    with chrome.Chrome(program, suite.directory("browser")) as browser:
        for name, (path, _) in made.items():
            address = "file://" + path
            for shape in SHAPES:
                width, dark, scripts = shape
                case = f"{name} {width} {'dark' if dark else 'light'} {'' if scripts else 'without scripts'}"
                with chrome.Page(browser, address, width=width, dark=dark, scripts=scripts) as page:
                    bad += [(case, w) for w in look(page, name, shape, address)]
                    with open(os.path.join(shots, case.strip().replace(" ", "-") + ".png"), "wb") as f:
                        f.write(page.picture(whole=False))
                    count += 1
            with chrome.Page(browser, address) as page:
                pdf = page.pdf()
                if not pdf.startswith(b"%PDF-") or pdf.count(b"/Type /Page") < 1 or len(pdf) < 5000:
                    printed.append((name, f"{len(pdf)} bytes that are no PDF"))
        spoil(suite, browser, made["usual"][1])
    suite.check("pages are whole, readable and quiet at 1280 and 360 pixels, light and dark", bad, count)
    suite.check("pages can be printed", printed, len(made))
