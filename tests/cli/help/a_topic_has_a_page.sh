trackway help privacy
