"""What mkdocs lacks for this book.

The pages are written to be read in the repository, too: they link to sources and to the change log, which are outside of
docs/. Those become pages of the site. Links are checked to the last anchor, and the search works without a server.
"""

import json
import logging
import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.hooks")

DOCS = Path(__file__).resolve().parent.parent
ROOT = DOCS.parent
NO_PAGES = ("CMakeLists.txt", "site/mkdocs.yml", "site/hooks.py", "site/theme/")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
LANGUAGES = {".h": "c++", ".cc": "c++", ".toml": "toml", ".yml": "yaml", ".json": "json", ".txt": "text", "": "sh"}
# Pages that are made for one build.
scratch = TemporaryDirectory()


def outside_target(origin, link):
    """The path from the repository's root of what a page links to, if it lies outside of docs/, else None.

    `origin` is the page's own path from the root.
    """
    if urlsplit(link).scheme:
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))
    return None if target.startswith("docs/") or not (ROOT / target).is_file() else target


def page_of(target):
    """Where the page about a file outside of docs/ lies on the site."""
    return target if target.endswith(".md") else f"source/{target}.md"


def text_of(target):
    """The page about a file outside of docs/."""
    text = (ROOT / target).read_text()
    if target.endswith(".md"):
        return text
    language = LANGUAGES.get(Path(target).suffix, "text")
    return f"# {target}\n\n````{language}\n{text.rstrip()}\n````\n"


def on_files(files, config):
    for file in list(files):
        if file.src_uri.startswith(NO_PAGES):
            files.remove(file)
    listed = set(re.findall(r"[\w./-]+\.md", json.dumps(config["nav"])))
    waiting = {f"docs/{file.src_uri}": Path(file.abs_src_path).read_text() for file in files if file.is_documentation_page()}
    for origin in waiting:
        if origin.removeprefix("docs/") not in listed:
            log.warning("%s is not in the nav of docs/site/mkdocs.yml", origin)
    made = set()
    while waiting:
        origin, text = waiting.popitem()
        for link, _ in LINK.findall(text):
            target = outside_target(origin, link)
            if target is None or target in made:
                continue
            made.add(target)
            page = Path(scratch.name) / page_of(target)
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text_of(target))
            files.append(File(page_of(target), scratch.name, config["site_dir"], config["use_directory_urls"]))
            if target.endswith(".md"):
                waiting[target] = text_of(target)
    return files


def on_page_markdown(markdown, page, **_):
    here = page.file.src_uri
    inside = Path(page.file.abs_src_path).is_relative_to(DOCS)
    origin = f"docs/{here}" if inside else here

    def relocated(match):
        link, anchor = match.group(1), match.group(2) or ""
        if urlsplit(link).scheme:
            return match.group(0)
        target = outside_target(origin, link)
        if target is None and inside:
            return match.group(0)
        to = page_of(target) if target else posixpath.normpath(posixpath.join(posixpath.dirname(origin), link)).removeprefix("docs/")
        return f"]({posixpath.relpath(to, posixpath.dirname(here) or '.')}{anchor})"

    return markdown if here.startswith("source/") else LINK.sub(relocated, markdown)


class Anchors(HTMLParser):
    """What a page links to, and what in it can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if attributes.get("id"):
            self.names.add(attributes["id"])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])


def check_links(site):
    pages = {path: Anchors(path.read_text()) for path in site.rglob("*.html")}
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # links from the root, wherever that is
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                log.warning("%s links to %s, which does not exist", path.relative_to(site), link)
            elif target in pages and unquote(parts.fragment) not in pages[target].names:
                log.warning("%s links to %s: the page has no such anchor", path.relative_to(site), link)


def on_post_build(config):
    site = Path(config["site_dir"])
    index = (site / "search/search_index.json").read_text()
    (worker,) = (site / "assets/javascripts/workers").glob("search.*.min.js")
    source = json.dumps(worker.read_text()).replace("</", "<\\/")
    (site / "search/offline.js").write_text(
        f"var __search = {{ index: Promise.resolve({index}),\n"
        f'worker: URL.createObjectURL(new Blob([{source}], {{ type: "text/javascript" }})) }};\n'
    )
    check_links(site)
    scratch.cleanup()
