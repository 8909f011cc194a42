trackway help exitcodes
